/** A script in pieces for an editor that colours them: put together they are the script. */
import { keywords } from './keywords.js';
import { tokensOf } from './tokens.js';
import type { Token } from './tokens.js';

export interface Segment {
  readonly text: string;
  readonly kind?: 'keyword' | 'text' | 'name' | 'comment';
}

/** @example segmentsOf('select 1 -- one'); // select (keyword), ' 1 ', '-- one' (comment) */
export function segmentsOf(script: string): readonly Segment[] {
  const segments: Segment[] = [];
  const between = (start: number, end: number): void => {
    const text = script.slice(start, end);
    if (text === '') return;
    const comment = text.search(/--|\/\*/);
    if (comment > 0) segments.push({ text: text.slice(0, comment) });
    segments.push(comment < 0 ? { text } : { text: text.slice(comment), kind: 'comment' });
  };
  let at = 0;
  for (const token of tokensOf(script)) {
    between(at, token.start);
    const text = script.slice(token.start, token.end);
    const kind = kindOf(token);
    segments.push(kind ? { text, kind } : { text });
    at = token.end;
  }
  between(at, script.length);
  return segments;
}

function kindOf({ kind, value }: Token): Segment['kind'] {
  if (kind === 'text' || kind === 'name') return kind;
  return kind === 'word' && keywords.has(value) ? 'keyword' : undefined;
}
