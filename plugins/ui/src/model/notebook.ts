/** Notebooks of the formats 2, 3 and 4, as cells with their outputs (format: nbformat). */
import { languageExtension } from './highlight.js';

export interface Notebook {
  /** Name of the language of its cells, as a file's extension. */
  readonly language: string;
  readonly cells: readonly NotebookCell[];
}

export type NotebookCell =
  | { readonly kind: 'text'; readonly source: string }
  | { readonly kind: 'raw'; readonly source: string }
  /** A heading of the older formats. */
  | { readonly kind: 'heading'; readonly source: string; readonly level: number }
  | { readonly kind: 'code'; readonly source: string; readonly language: string; readonly outputs: readonly NotebookOutput[] };

export type NotebookOutput =
  | { readonly kind: 'text' | 'error'; readonly text: string }
  | { readonly kind: 'html'; readonly html: string }
  /** A source that pictures take. */
  | { readonly kind: 'picture'; readonly source: string };

type Json = Readonly<Record<string, unknown>>;

/** @throws Error that says what is missing. */
export function readNotebook(value: unknown): Notebook {
  const document = asRecord(value);
  // Formats before 4 have their cells in work sheets.
  const sheets = listOf(document['worksheets']).flatMap(sheet => listOf(asRecord(sheet)['cells']));
  const cells = Array.isArray(document['cells']) ? (document['cells'] as readonly unknown[]) : sheets;
  if (!Array.isArray(document['cells']) && !Array.isArray(document['worksheets']))
    throw new Error('This is not a notebook: it has no cells.');
  const language = languageOf(asRecord(document['metadata']));
  return { language, cells: cells.map(cell => cellOf(asRecord(cell), language)) };
}

function languageOf(metadata: Json): string {
  const name = textOf(asRecord(metadata['language_info'])['name']) || textOf(asRecord(metadata['kernelspec'])['language']) || 'python';
  return languageExtension(name);
}

function cellOf(cell: Json, language: string): NotebookCell {
  const source = textOf(cell['source']) || textOf(cell['input']);
  switch (cell['cell_type']) {
    case 'markdown':
    case 'html':
      return { kind: 'text', source };
    case 'raw':
    case 'plaintext':
      return { kind: 'raw', source };
    case 'heading':
      return { kind: 'heading', source, level: Math.min(6, Math.max(1, Number(cell['level']) || 1)) };
    default: {
      const own = textOf(cell['language']) || textOf(asRecord(cell['metadata'])['language']) || magicOf(source);
      const outputs = listOf(cell['outputs']).flatMap(output => outputOf(asRecord(output)));
      return { kind: 'code', source, language: own === '' ? language : languageExtension(own), outputs };
    }
  }
}

/** `%%bash` in the first line says what the cell is written in. */
function magicOf(source: string): string {
  return /^%%(bash|sh|html|javascript|js|ruby|sql|latex)\b/.exec(source)?.[1] ?? '';
}

const pictures: readonly (readonly [type: string, older: string])[] = [
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
];

/** What is richest of an output. */
function outputOf(output: Json): readonly NotebookOutput[] {
  const type = output['output_type'];
  if (type === 'error' || type === 'pyerr') return [{ kind: 'error', text: tracebackOf(output) }];
  if (type === 'stream') return [{ kind: 'text', text: plain(textOf(output['text'])) }];
  // Formats before 4 have what is shown beside the type.
  const data = output['data'] === undefined ? output : asRecord(output['data']);
  const of = (name: string, older: string): string => textOf(data[name]) || textOf(data[older]);
  for (const [name, older] of pictures) {
    const found = of(name, older);
    if (found !== '') return [{ kind: 'picture', source: `data:${name};base64,${found.replace(/\s/g, '')}` }];
  }
  const svg = of('image/svg+xml', 'svg');
  // Scripts of an SVG never run in a picture.
  if (svg !== '') return [{ kind: 'picture', source: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}` }];
  const html = of('text/html', 'html');
  if (html !== '') return [{ kind: 'html', html }];
  const text = of('text/plain', 'text') || of('application/json', 'json') || of('text/latex', 'latex') || of('text/markdown', 'markdown');
  return text === '' ? [] : [{ kind: 'text', text: plain(text) }];
}

function tracebackOf({ traceback, ename, evalue }: Json): string {
  const lines = listOf(traceback).map(line => plain(textOf(line)));
  return lines.length > 0 ? lines.join('\n') : `${textOf(ename)}: ${textOf(evalue)}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of terminals begin with one
const colours = /\u001b\[[0-9;]*[A-Za-z]/g;
const plain = (text: string): string => text.replace(colours, '');

/** Texts may be lists of their lines; other values stand as JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.every(line => typeof line === 'string')) return value.join('');
  return JSON.stringify(value, undefined, 2);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

function asRecord(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
