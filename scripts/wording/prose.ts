/** What people read in a file: comments and texts of sources, Markdown without its code, descriptions of packages. */
import { SyntaxKind } from 'typescript/unstable/ast';
import { tokensOf } from '../dependencies/tokens.js';
import type { Token } from '../dependencies/tokens.js';

/** Stands for a character that is not prose: no phrase goes across it. */
const other = '\u0001';

/** @returns the text of a file with everything that is not prose replaced, at the same places; line ends stay. */
export function proseOf(file: string, text: string): string {
  if (file.endsWith('.md')) return hidden(text, /```[\s\S]*?(?:```|$)|`[^`]*`|\]\([^)]*\)/g);
  if (file.endsWith('.json')) return kept(text, /(?<="(?:description|summary|title)": *")[^"\n]*/g);
  return proseOfSource(text, { hasMarkup: file.endsWith('.tsx') });
}

const textKinds = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
]);

function proseOfSource(text: string, { hasMarkup }: { readonly hasMarkup: boolean }): string {
  const tokens = tokensOf(text);
  const pieces: string[] = [];
  let at = 0;
  for (const [i, token] of tokens.entries()) {
    pieces.push(commentsOf(text.slice(at, token.start)));
    const own = text.slice(token.start, token.end);
    pieces.push(isText(token, own) || (hasMarkup && isInMarkup(tokens, i)) ? own : blank(own));
    at = token.end;
  }
  return `${pieces.join('')}${commentsOf(text.slice(at))}`;
}

/** A text of one word is a name more often than prose. */
function isText({ kind }: Token, text: string): boolean {
  return textKinds.has(kind) && /\s/.test(text);
}

/** Two words in a row are the text of an element, or harmless: code has punctuation between names. */
function isInMarkup(tokens: readonly Token[], at: number): boolean {
  return isWord(tokens[at]) && (isWord(tokens[at - 1]) || isWord(tokens[at + 1]));
}

function isWord(token: Token | undefined): boolean {
  return token !== undefined && /^[a-z]+$/i.test(token.value) && !textKinds.has(token.kind);
}

/** @param gap between two tokens: white space and comments. */
function commentsOf(gap: string): string {
  if (gap.trim() === '') return gap.replace(/[^\n]/g, ' ');
  return hidden(
    gap.replace(/\/\*+|\*+\/|\/\/|^[ \t]*\*/gm, marks => ' '.repeat(marks.length)),
    /`[^`]*`|\{@link [^}]*\}/g,
  );
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, other);
}

function hidden(text: string, code: RegExp): string {
  return text.replace(code, blank);
}

function kept(text: string, prose: RegExp): string {
  let at = 0;
  const pieces: string[] = [];
  for (const match of text.matchAll(prose)) {
    pieces.push(blank(text.slice(at, match.index)), match[0]);
    at = match.index + match[0].length;
  }
  return `${pieces.join('')}${blank(text.slice(at))}`;
}
