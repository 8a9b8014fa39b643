/**
 * The file that links a directory with a place in a repository. Three keys; while an operation is under way also where it
 * leads, so that it can be completed or undone whatever happens to the process.
 */

import { open, readFile, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { foreignIndexName, indexName, temporaryFor } from '@srv/engine/transfer';
import { messageOf } from '@srv/kernel';
import { UriError, formatUri, pathUri, replaceFile } from '@srv/lib-commands';
import { parse, stringify } from 'yaml';
import type { PathUri } from '@srv/lib-commands';

export const operations = ['clone', 'pull', 'commit', 'checkout'] as const;
export type OperationName = (typeof operations)[number];

/** An operation that was begun and not ended. */
interface ActiveOperation {
  readonly name: OperationName;
  /** Commit the directory is being brought to; absent: not known yet. */
  readonly head?: string;
  /** Place the directory will be linked with; absent: the same. */
  readonly src?: PathUri | undefined;
}

export interface LocalIndex {
  /** The remote folder: its path is empty or ends with `/`. */
  readonly src: PathUri;
  /** Commit the directory was last in step with. */
  readonly head: string;
  readonly active?: ActiveOperation;
}

export interface FoundIndex {
  readonly folder: string;
  readonly index: LocalIndex;
  /** Unix milliseconds from which on files may have changed without their time showing it. */
  readonly syncedAt: number;
}

/** How other clients begin URIs. */
const foreignScheme = 'lakefs';
/** Bytes; a link needs a few hundred. */
const maxSize = 65_536;
const commitId = /^[0-9A-Za-z]{1,128}$/;

/** @throws Error that names the file and says what is wrong with it. */
export function parseIndex(text: string, file: string): LocalIndex {
  const wrong = (what: string): Error => new Error(`${file} is damaged: ${what}; link the directory again with "cli local init --force"`);
  let data: unknown;
  try {
    data = parse(text, { maxAliasCount: 0, schema: 'core', merge: false });
  } catch (error) {
    throw wrong(messageOf(error).split('\n')[0] ?? '');
  }
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw wrong('it holds no keys');
  const read = (key: string): string => {
    const value: unknown = Object.hasOwn(data, key) ? (data as Record<string, unknown>)[key] : undefined;
    if (value === undefined || value === null) return '';
    if (typeof value !== 'string') throw wrong(`${key} is not text`);
    return value;
  };
  const place = (key: string): PathUri => {
    try {
      return asFolder(pathUri(read(key)));
    } catch (error) {
      throw error instanceof UriError ? wrong(`${key} is not a path URI: ${error.message}`) : error;
    }
  };
  const commit = (key: string): string => {
    const id = read(key);
    if (!commitId.test(id)) throw wrong(`${key} is not a commit`);
    return id;
  };
  const index = { src: place('src'), head: commit('at_head') };
  const active = read('active_operation');
  if (active === '') return index;
  const name = operations.find(known => known === active);
  if (!name) throw wrong(`active_operation is not one of ${operations.join(', ')}`);
  return {
    ...index,
    active: {
      name,
      ...(read('operation_head') === '' ? {} : { head: commit('operation_head') }),
      ...(read('operation_src') === '' ? {} : { src: place('operation_src') }),
    },
  };
}

/** @param scheme of the URIs: other clients read their own only. */
export function formatIndex({ src, head, active }: LocalIndex, scheme?: string): string {
  const place = (uri: PathUri): string => (scheme === undefined ? formatUri(uri) : formatUri(uri).replace(/^[a-z]+:/, `${scheme}:`));
  return stringify({
    src: place(src),
    at_head: head,
    active_operation: active?.name ?? '',
    ...(active?.head === undefined ? {} : { operation_head: active.head }),
    ...(active?.src === undefined ? {} : { operation_src: place(active.src) }),
  });
}

/** A path URI that means a folder. */
export function asFolder(uri: PathUri): PathUri {
  return uri.path === '' || uri.path.endsWith('/') ? uri : { ...uri, path: `${uri.path}/` };
}

/** The index of exactly this directory. */
export async function readIndex(folder: string): Promise<FoundIndex | undefined> {
  const file = join(folder, await indexNameIn(folder));
  const facts = await stat(file).catch(() => undefined);
  if (!facts) return undefined;
  if (!facts.isFile() || facts.size > maxSize) throw new Error(`${file} is damaged: it is not a file of at most ${maxSize} bytes`);
  return { folder, index: parseIndex(await readFile(file, 'utf8'), file), syncedAt: facts.mtimeMs };
}

/** The name of a directory's index: a directory that another client linked stays linked for it. */
export async function indexNameIn(folder: string): Promise<string> {
  const [own, foreign] = await Promise.all([indexName, foreignIndexName].map(name => stat(join(folder, name)).catch(() => undefined)));
  return own || !foreign ? indexName : foreignIndexName;
}

/** The linked directory that is `folder` or contains it. @throws Error when it is not in a linked directory. */
export async function findIndex(folder: string): Promise<FoundIndex> {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    const found = await readIndex(at);
    if (found) return found;
  }
  throw new Error(
    `could not find srv reference file in path ${folder} or parents: file does not exist; link the directory with "cli local init" or "cli local clone"`,
  );
}

/** Replaces the index at once. @param syncedAt Unix milliseconds; see {@link FoundIndex}. */
export async function writeIndex(folder: string, index: LocalIndex, syncedAt: number): Promise<void> {
  const name = await indexNameIn(folder);
  const file = join(folder, name);
  const text = formatIndex(index, name === foreignIndexName ? foreignScheme : undefined);
  const write = async (temporary: string): Promise<void> => {
    const handle = await open(temporary, 'w', 0o644);
    try {
      await handle.writeFile(text);
      // A power cut must not leave an empty index.
      await handle.sync();
    } finally {
      await handle.close();
    }
    await utimes(temporary, syncedAt / 1000, syncedAt / 1000);
  };
  await replaceFile(file, write, temporaryFor(file));
}

const remedies: Readonly<Record<OperationName, (index: LocalIndex) => string>> = {
  clone: ({ src }) =>
    `Run "cli local clone ${formatUri(src)}" with the same directory again, or "cli local checkout", to complete it; or clone to another directory.`,
  pull: ({ active }) =>
    active?.head === undefined
      ? 'Use "cli local pull --force" to sync with the remote and drop local changes.'
      : 'Run "cli local pull" again to complete it, "cli local checkout" to undo it, or "cli local pull --force" to sync with the remote and drop local changes.',
  commit: () =>
    'Run "cli local commit" again to complete it, or "cli local pull --force" or "cli local checkout" to drop local changes; what was uploaded stays uncommitted on the branch until it is reset.',
  checkout: () => 'Run "cli local checkout" again to complete it.',
};

/** What happened and what to do about it. */
export function interruption(index: LocalIndex): string | undefined {
  const { active } = index;
  return active && `Latest ${active.name} operation was interrupted, local data may be incomplete.\n${remedies[active.name](index)}`;
}
