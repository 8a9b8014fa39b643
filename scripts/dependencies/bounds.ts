/**
 * Bounds of what a server keeps in memory: the doc comment of each says `@bound <what is kept>`, a test whose title begins with
 * `beyond <its name>:` exceeds it, and the README of its package lists it.
 */
import type { Source } from './source.js';

interface Bound {
  /** Of the package, as in `plugins/x`. */
  readonly folder: string;
  readonly file: string;
  readonly line: number;
  readonly name: string;
  /** As the code has it; absent for what a caller or the configuration decides. */
  readonly value?: string | undefined;
  readonly what: string;
  /** File of a test that exceeds it. */
  readonly test?: string;
}

const tag = '@bound ';
/** Title of a test, up to the colon: names with `and` between them. */
const exceeding = /\b(?:test|it)\(\s{0,20}'beyond ([^:'\n]{1,100}):/g;
const declaration = /^ *(?:export )?(?:const |readonly |constructor\()?([A-Za-z]\w{0,60})\??(?: = ([^;]{1,80});$|: )/;

/** @returns by the folder of the package, in the order of files and lines. */
export function boundsOf(sources: readonly Source[]): ReadonlyMap<string, readonly Bound[]> {
  const found = new Map<string, Bound[]>();
  for (const source of sources.filter(isServerCode))
    for (const bound of taggedIn(source))
      found.set(bound.folder, [...(found.get(bound.folder) ?? []), { ...bound, ...testOf(bound, sources) }]);
  return found;
}

/** Rows of the table in the README of a package, heading included. */
export function boundsTable(bounds: readonly Bound[]): string[] {
  const rows = bounds.map(
    ({ name, value, what, file, test }) =>
      `| ${what} | ${value === undefined ? `\`${name}\`` : `\`${name} = ${value}\``} | ${file} | ${test ?? ''} |`,
  );
  return ['| what is kept | bound | where | exceeded by |', '|---|---|---|---|', ...rows];
}

/** @param readme text of the README of a package's folder. @returns one `file:line: what is wrong` per fault. */
export function judgeBounds(sources: readonly Source[], readme: (folder: string) => string): string[] {
  const bounds = boundsOf(sources);
  const untested = [...bounds.values()]
    .flat()
    .filter(({ test }) => !test)
    .map(
      ({ folder, file, line, name }) => `${folder}/${file}:${line}: no test of the package has a title that begins with "beyond ${name}:"`,
    );
  const untagged = sources
    .filter(source => isServerCode(source) && source.text.includes('new LRUCache') && taggedIn(source).length === 0)
    .map(
      ({ from, file }) => `${from.folder}/${file}:1: what this cache keeps is bounded by a value without ${tag.trim()} in its doc comment`,
    );
  const unlisted = [...bounds]
    .filter(([folder, own]) => !readme(folder).includes(boundsTable(own).join('\n')))
    .map(([folder]) => `${folder}/README.md:1: the table of bounds is not that of the code: node scripts/dist/bounds-table.js --write`);
  return [...untested, ...untagged, ...unlisted];
}

function isServerCode({ from, file }: Source): boolean {
  return from.layer !== 'tools' && /^src\/(?!testing\/)/.test(file);
}

function taggedIn({ from, file, text }: Source): Bound[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const begin = line.indexOf(tag);
    if (begin < 0) return [];
    const what = line
      .slice(begin + tag.length)
      .replace(/\*\/\s?$/, '')
      .trim();
    const behind = lines.slice(line.includes('*/') ? at + 1 : lines.findIndex((other, i) => i > at && other.includes('*/')) + 1);
    const [, name = '', value] = declaration.exec(behind[0] ?? '') ?? [];
    return [{ folder: from.folder, file, line: at + 1, name, value, what }];
  });
}

function testOf({ folder, name }: Bound, sources: readonly Source[]): Pick<Bound, 'test'> {
  for (const { from, file, text } of sources) {
    if (from.folder !== folder || !file.startsWith('test/')) continue;
    const titles = [...text.matchAll(exceeding)].map(([, names = '']) => names.split(' and '));
    if (titles.some(names => names.includes(name))) return { test: file };
  }
  return {};
}
