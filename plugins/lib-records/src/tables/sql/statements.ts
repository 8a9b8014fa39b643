/** A script as its statements. */
import { tokensOf } from './tokens.js';
import type { Token } from './tokens.js';

export interface Statement {
  readonly text: string;
  /** Their places count from the beginning of the text. */
  readonly tokens: readonly Token[];
  /** Its result can be kept as a table. */
  readonly isQuery: boolean;
}

/** @example statementsOf('select 1; select 2').map(({ text }) => text); // ['select 1', 'select 2'] */
export function statementsOf(script: string): readonly Statement[] {
  const statements: Statement[] = [];
  let own: Token[] = [];
  const end = (): void => {
    const [first] = own;
    const last = own.at(-1);
    if (first && last) {
      const tokens = own.map(token => ({ ...token, start: token.start - first.start, end: token.end - first.start }));
      statements.push({ text: script.slice(first.start, last.end), tokens, isQuery: isQuery(tokens) });
    }
    own = [];
  };
  for (const token of tokensOf(script)) {
    if (token.kind === 'sign' && token.value === ';') end();
    else own.push(token);
  }
  end();
  return statements;
}

const asking = new Set(['select', 'from', 'values', 'table']);
const writing = new Set(['insert', 'update', 'delete']);

function isQuery(tokens: readonly Token[]): boolean {
  const first = tokens.find(({ value }) => value !== '(');
  if (first?.kind !== 'word') return false;
  if (first.value !== 'with') return asking.has(first.value);
  let depth = 0;
  for (const { kind, value } of tokens) {
    if (kind === 'sign') depth += value === '(' ? 1 : value === ')' ? -1 : 0;
    else if (kind === 'word' && depth === 0 && writing.has(value)) return false;
  }
  return true;
}
