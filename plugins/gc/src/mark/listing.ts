/** The objects of a namespace that are old enough to be judged, listed into a file: memory does not grow with their number. */
import { createReadStream, createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { finished } from 'node:stream/promises';
import { SrvError, isSrvError } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-block-store';
import type { Repository } from '@srv/versioning/contract';
import { rootOf } from './overlap.js';
import { namedAt, objectOf } from './object-id.js';

export interface ListedObject {
  /** Relative to the namespace. */
  readonly key: string;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

export interface ListingFacts {
  readonly listed: number;
  readonly young: number;
  /** Objects of a name that no object of this product has; they are never touched. */
  readonly strange: number;
  /** First folder below the data folder. */
  readonly firstSlice: string;
}

export interface ListingRequest {
  readonly block: BlockStore;
  readonly repository: Repository;
  /** Objects named or modified later stay. */
  readonly cutoff: number;
  readonly path: string;
  readonly signal: AbortSignal;
  readonly note: (listed: number) => void;
}

/** Lists `data/`. An object is old when both its name and its modification time are. @throws SrvError when the store's clock is ahead. */
export async function listObjects({ block, repository, cutoff, path, signal, note }: ListingRequest): Promise<ListingFacts> {
  const root = rootOf(block, repository.storageNamespace);
  const out = createWriteStream(path);
  let [listed, young, strange] = [0, 0, 0];
  let firstSlice = '';
  try {
    for await (const page of walk(block, `${root}data/`, signal)) {
      let lines = '';
      for (const { address, size, lastModified } of page) {
        listed++;
        const key = address.slice(root.length);
        firstSlice ||= key.split('/')[1] ?? '';
        const named = namedAt(key);
        if (objectOf(key) === undefined || named === undefined || /[\t\n]/.test(key)) strange++;
        else if (named * 1000 >= cutoff || lastModified.getTime() >= cutoff) young++;
        else lines += lineOf({ key, size, modified: lastModified.getTime() });
      }
      note(listed);
      if (lines !== '' && !out.write(lines)) await once(out, 'drain');
    }
  } finally {
    out.end();
    await finished(out);
  }
  return { listed, young, strange, firstSlice };
}

/** A namespace without a data folder holds no objects. */
async function* walk(block: BlockStore, uri: string, signal: AbortSignal): ReturnType<BlockStore['walk']> {
  try {
    yield* block.walk(uri, { signal, etags: false });
  } catch (error) {
    if (!isSrvError(error, 'not_found', 'no_data')) throw error;
  }
}

export function lineOf({ key, size, modified }: ListedObject): string {
  return `${key}\t${size}\t${modified}\n`;
}

/** @throws SrvError `corrupt`. */
export function objectIn(line: string): ListedObject {
  const [key = '', size = '', modified = ''] = line.split('\t');
  if (key === '' || !/^\d+$/.test(size) || !/^-?\d+$/.test(modified))
    throw new SrvError('corrupt', `a line of a list of objects does not decode: ${JSON.stringify(line)}`);
  return { key, size: Number(size), modified: Number(modified) };
}

/** Objects of a file of {@link lineOf}, in order. */
export async function* objectsOf(path: string): AsyncGenerator<ListedObject> {
  const input = createReadStream(path);
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) if (line !== '') yield objectIn(line);
  } finally {
    input.destroy();
  }
}
