/** Walks folders in byte order of whole keys, files that lie at an escaped place included. */
import { isUtf8 } from 'node:buffer';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SrvError } from '@srv/kernel';
import { missing } from '../files/error-codes.js';
import { unless } from '../files/file-errors.js';
import { unescapedName } from '../files/file-name.js';

/** A file on its walk. */
export interface WalkedFile {
  /** Relative to where the walk began. */
  readonly key: string;
  readonly path: string;
}

export interface FolderWalk {
  /** Keys up to this one are left out. */
  readonly after: string;
  readonly accepts: (segment: string) => boolean;
  /** Names that are not UTF-8, which no object can have, end the walk; otherwise they are left out. */
  readonly demandsUtf8?: boolean;
  /** Whether the objects of a folder in this state need not be listed. */
  readonly isKnown?: ((folder: string, state: string) => boolean) | undefined;
}

/** Milliseconds after which a further change of a folder has another time. */
const clockStep = 2000;

/** Byte order of UTF-8. JavaScript's own order differs only where surrogates are involved. */
export function compareBytes(a: string, b: string): number {
  if (/[\ud800-\udfff]/.test(a + b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What the runtime puts in place of bytes that are not UTF-8. */
const replacement = '\u{fffd}';

/** Regular files below a folder; symbolic links are not followed, a missing folder is empty. @throws SrvError `invalid` */
export async function* walkFolder(folder: string, walk: FolderWalk, prefix = ''): AsyncGenerator<WalkedFile> {
  const entries = (await unless(readdir(folder, { withFileTypes: true }), ...missing)) ?? [];
  // With its slash a folder stands where its contents do: `a.txt` comes before `a/b`.
  const names = entries.filter(e => walk.accepts(e.name)).flatMap(e => (e.isDirectory() ? [`${e.name}/`] : e.isFile() ? [e.name] : []));
  if (walk.demandsUtf8 && names.some(name => name.includes(replacement))) await demandUtf8(folder, names);
  for (const name of names.sort(compareBytes)) {
    const key = prefix + name;
    const path = join(folder, name);
    if (!name.endsWith('/')) {
      if (compareBytes(key, walk.after) > 0) yield { key, path };
    } else if (compareBytes(key, walk.after) > 0 || walk.after.startsWith(key)) {
      if (!(await isKnown(path, key, walk))) yield* walkFolder(path, walk, key);
    }
  }
}

/** @param names as the runtime shows them, with a slash after those of folders. */
async function demandUtf8(folder: string, names: readonly string[]): Promise<void> {
  const shown = new Set(names);
  for (const bytes of await readdir(folder, { encoding: 'buffer' })) {
    const name = bytes.toString();
    if (isUtf8(bytes) || !(shown.has(name) || shown.has(`${name}/`))) continue;
    throw new SrvError('invalid', `${join(folder, name)}: the name is not valid UTF-8, so that no object can have it; rename the file`);
  }
}

/** A folder's time changes with its entries; one that changed a moment ago may change again without a later time. */
async function isKnown(path: string, key: string, { isKnown: ask }: FolderWalk): Promise<boolean> {
  if (!ask) return false;
  const found = await unless(stat(path, { bigint: true }), ...missing);
  if (!found || Date.now() - Number(found.mtimeMs) < clockStep) return false;
  return ask(key, `${found.dev} ${found.ino} ${found.mtimeNs}`);
}

/** Escaped files whose name begins with `prefix`; keys are what follows. */
export async function* walkEscaped(
  folder: string,
  prefix: string,
  walk: FolderWalk,
  segments: readonly string[] = [],
): AsyncGenerator<WalkedFile> {
  const wanted = Buffer.from(prefix).toString('hex');
  const entries = (await unless(readdir(folder), ...missing)) ?? [];
  // Digits only, as `=` would put files before or after folders; of equal digits the file, which begins with `=`, is the shorter name.
  const digits = (name: string): string => name.replace('=', '');
  const sorted = entries.sort((a, b) => compareBytes(digits(a), digits(b)) || Number(b.startsWith('=')) - Number(a.startsWith('=')));
  for (const entry of sorted) {
    const path = join(folder, entry);
    const all = [...segments, entry];
    const soFar = digits(all.join(''));
    if (!entry.startsWith('=')) {
      if (soFar.startsWith(wanted) || wanted.startsWith(soFar)) yield* walkEscaped(path, prefix, walk, all);
      continue;
    }
    const name = soFar.startsWith(wanted) ? unescapedName(all) : undefined;
    if (name === undefined) continue;
    const key = name.slice(prefix.length);
    if (key.split('/').every(walk.accepts) && compareBytes(key, walk.after) > 0) yield { key, path };
  }
}

/** Two ordered walks as one; of equal keys the first walk's counts. */
export async function* mergeWalks(first: AsyncGenerator<WalkedFile>, second: AsyncGenerator<WalkedFile>): AsyncGenerator<WalkedFile> {
  let [a, b] = [await first.next(), await second.next()];
  while (!a.done || !b.done) {
    const order = a.done ? 1 : b.done ? -1 : compareBytes(a.value.key, b.value.key);
    const taken = order <= 0 ? a : b;
    if (!taken.done) yield taken.value;
    if (order <= 0) a = await first.next();
    if (order >= 0) b = await second.next();
  }
}

/** Pages of this many files; the last one has those that are left. */
export async function* inPages(files: AsyncIterable<WalkedFile>, size: number): AsyncGenerator<readonly WalkedFile[]> {
  let page: WalkedFile[] = [];
  for await (const file of files) {
    if (page.push(file) < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
