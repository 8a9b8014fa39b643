/** Colours for source text: comments, strings, numbers and the words of most languages. */

interface Piece {
  readonly text: string;
  readonly kind?: 'comment' | 'string' | 'number' | 'key';
}

const words =
  'and as async await begin break case catch class const continue def default defer del do elif else end enum except export extends false final finally fn for from func function global go if impl import in interface is lambda let local loop match module mut namespace new nil none not null of or package pass private protected public raise return select self static struct super switch then this throw trait true try type typeof union update use var void when where while with yield insert into values create table';

const keys = new Set(words.split(' '));

/** By family: what begins a comment. */
const hash = new Set('py rb sh bash yaml yml toml ini r pl tf conf env properties dockerfile gitignore'.split(' '));
const dashes = new Set('sql lua'.split(' '));
const slashes = new Set('js mjs cjs ts tsx jsx go rs java c h cc cpp hpp cs php scala kt swift css proto'.split(' '));
const plain = new Set(['', 'txt', 'text', 'log', 'csv', 'tsv', 'md', 'markdown', 'rst', 'tex']);

/** Names that notebooks and blocks of code have. */
const extensions: ReadonlyMap<string, string> = new Map(
  Object.entries({
    python: 'py',
    ipython: 'py',
    javascript: 'js',
    typescript: 'ts',
    ruby: 'rb',
    rust: 'rs',
    bash: 'sh',
    shell: 'sh',
    console: 'sh',
    'c++': 'cpp',
  }),
);

/** The extension of files in a language; a name that is not known is one, in lower case. */
export function languageExtension(name: string): string {
  const lower = name.toLowerCase();
  return extensions.get(lower) ?? lower;
}

/** Code units of a string that is coloured: one that is never closed would be read to its end for each quote in it. */
const longest = 500;
const strings = `"(?:[^"\\\\\\n]|\\\\.){0,${longest}}"|'(?:[^'\\\\\\n]|\\\\.){0,${longest}}'|\`(?:[^\`\\\\]|\\\\.){0,${longest}}\``;
const numbers = '\\b\\d[\\d_]*(?:\\.\\d+)?(?:[eE][+-]?\\d+)?\\b';

function patternFor(language: string): RegExp | undefined {
  if (plain.has(language)) return undefined;
  const comment = hash.has(language)
    ? '#[^\\n]*'
    : dashes.has(language)
      ? '--[^\\n]*'
      : slashes.has(language)
        ? '//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)'
        : '(?!)';
  return new RegExp(`(?<comment>${comment})|(?<string>${strings})|(?<number>${numbers})|(?<word>[A-Za-z_]\\w*)`, 'g');
}

/** @param language extension of the file. The pieces put together are the text. */
export function highlight(text: string, language: string): readonly Piece[] {
  const pattern = patternFor(language);
  if (!pattern) return [{ text }];
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const { comment, string, number, word } = match.groups ?? {};
    const kind =
      comment !== undefined
        ? 'comment'
        : string !== undefined
          ? 'string'
          : number !== undefined
            ? 'number'
            : keys.has((word ?? '').toLowerCase())
              ? 'key'
              : undefined;
    if (kind === undefined) continue;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index) });
    pieces.push({ text: match[0], kind });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}
