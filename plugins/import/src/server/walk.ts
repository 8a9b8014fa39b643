/** Objects of all sources in order of their new paths, read page by page: memory does not grow with their number. */

import { encodeEntry } from '@srv/engine/objects/entry';
import { encodeValue } from '@srv/engine/tables/format';
import { SrvError, isSrvError, throwIfAborted } from '@srv/kernel';
import { pathKey } from '@srv/lib-records';
import { addressOf, identifierType, inParallel } from '@srv/lib-stores/block';
import { Source, SourceHeap } from './source-heap.js';
import type { Change } from '@srv/engine/contract';
import type { BlockStore, WalkedObject } from '@srv/lib-stores/block';
import type { ImportPath } from '../contract.js';

const pageItems = 500;
/** Listings that begin at the same time. */
const parallelOpenings = 16;

/** Destination of everything below a prefix, with a trailing slash. */
export function destinationPrefix(destination: string): string {
  return destination === '' || destination.endsWith('/') ? destination : `${destination}/`;
}

interface ImportWalk {
  /** That of the repository: it has the credentials for the sources. */
  readonly store: BlockStore;
  readonly paths: readonly ImportPath[];
  /** What addresses of the repository's own objects begin with. */
  readonly storage: string;
  /** Receives the number of objects after each page. */
  readonly note: (objects: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Changes in strictly ascending order of keys; of two sources with the same new path the later one counts.
 * @throws SrvError `invalid` when a source lists the repository's own storage.
 */
export async function* importedChanges(walk: ImportWalk): AsyncGenerator<Change[]> {
  const sources = new SourceHeap();
  try {
    await inParallel(walk.paths, parallelOpenings, async (path, index) => sources.add(await Source.open(objectsOf(walk, path), index)));
    yield* pagesOf(sources, walk.note);
  } finally {
    await sources.close();
  }
}

async function* pagesOf(sources: SourceHeap, note: ImportWalk['note']): AsyncGenerator<Change[]> {
  let page: Change[] = [];
  let objects = 0;
  let last: Buffer | undefined;
  for (let source = sources.first; source?.current; source = sources.first) {
    const { current } = source;
    await source.next();
    sources.settle();
    if (last?.equals(current.key)) continue;
    last = current.key;
    objects++;
    page.push(current);
    if (page.length < pageItems) continue;
    note(objects);
    yield page;
    page = [];
  }
  note(objects);
  if (page.length > 0) yield page;
}

async function* objectsOf({ store, storage, signal }: ImportWalk, { type, path, destination }: ImportPath): AsyncGenerator<Change> {
  const prefix = destinationPrefix(destination);
  const single = type === 'object' ? addressOf(store, path) : undefined;
  let found = false;
  for await (const page of type === 'object' ? naming(path, store.walk(path, { signal })) : store.walk(path, { signal })) {
    throwIfAborted(signal);
    for (const object of page) {
      if (single !== undefined && object.address !== single) continue;
      const target = type === 'object' ? destination : prefix + object.relativeKey;
      if (object.address.startsWith(storage))
        throw new SrvError(
          'invalid',
          `import source ${path} lists ${object.address}, which is storage of the repository itself; name a narrower source`,
        );
      // The marker of the folder itself would have no path. Markers below it are objects, whose bytes nothing else stores.
      if (target === '') continue;
      found = true;
      yield { key: pathKey(target), value: recordOf(object) };
      if (single !== undefined) return;
    }
  }
  if (type === 'object' && !found) throw missingObject(path);
}

/** A store that finds neither an object nor a folder may speak of a folder. */
async function* naming<T>(path: string, pages: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* pages;
  } catch (error) {
    throw isSrvError(error, 'not_found') ? missingObject(path, error) : error;
  }
}

function missingObject(path: string, cause?: unknown): SrvError {
  return new SrvError('not_found', `import source ${path}: no such object; check its path, or import a folder as common_prefix`, { cause });
}

function recordOf({ address, size, etag, lastModified, lastModifiedNanos = 0 }: WalkedObject): Buffer {
  const addressType = identifierType.full;
  return encodeValue(encodeEntry({ address, addressType, size, etag, lastModified, lastModifiedNanos, metadata: {}, contentType: '' }));
}
