/** Objects of all sources in order of their new paths, read page by page: memory does not grow with their number. */
import { SrvError, identifierType } from '@srv/kernel';
import type { BlockStore, WalkedObject } from '@srv/kernel';
import { encodeEntry } from '@srv/catalog/entry';
import type { Change } from '@srv/committed/contract';
import { encodeValue } from '@srv/committed/format';
import { pathKey } from '@srv/versioning/names';
import type { ImportPath } from '../contract.js';

const pageItems = 500;

/** Where everything of a prefix goes: its destination, with a slash behind it. */
export function destinationPrefix(destination: string): string {
  return destination === '' || destination.endsWith('/') ? destination : `${destination}/`;
}

/**
 * Changes in strictly ascending order of keys; of two sources with the same new path the later one counts.
 * @param note told the number of objects after each page.
 */
export async function* importedChanges(
  block: BlockStore,
  paths: readonly ImportPath[],
  note: (objects: number) => void,
  signal: AbortSignal,
): AsyncGenerator<Change[]> {
  const sources = await Promise.all(paths.map(path => Source.open(objectsOf(block, path, signal))));
  let page: Change[] = [];
  let objects = 0;
  for (;;) {
    const next = sources.reduce<Source | undefined>(
      (best, s) => (s.current && (!best?.current || Buffer.compare(s.current.key, best.current.key) <= 0) ? s : best),
      undefined,
    );
    if (!next?.current) break;
    const { key } = next.current;
    page.push(next.current);
    objects++;
    for (const source of sources) while (source.current?.key.equals(key)) await source.next();
    if (page.length < pageItems) continue;
    note(objects);
    yield page;
    page = [];
  }
  note(objects);
  if (page.length > 0) yield page;
}

async function* objectsOf(block: BlockStore, { type, path, destination }: ImportPath, signal: AbortSignal): AsyncGenerator<Change> {
  const prefix = destinationPrefix(destination);
  let found = false;
  for await (const page of block.walk(path, { signal })) {
    for (const object of page) {
      if (type === 'object' && object.address !== path && object.relativeKey !== '' && !path.endsWith(`/${object.relativeKey}`)) continue;
      const target = type === 'object' ? destination : prefix + object.relativeKey;
      // A marker of a folder is no object, and an empty path is no path.
      if (target === '' || (object.size === 0 && target.endsWith('/'))) continue;
      found = true;
      yield { key: pathKey(target), value: recordOf(object) };
    }
  }
  if (type === 'object' && !found) throw new SrvError('not_found', `import source ${path}: not found`);
}

function recordOf({ address, size, etag, lastModified }: WalkedObject): Buffer {
  return encodeValue(encodeEntry({ address, addressType: identifierType.full, size, etag, lastModified, metadata: {}, contentType: '' }));
}

class Source {
  readonly #objects: AsyncIterator<Change>;
  current: Change | undefined;

  private constructor(objects: AsyncIterable<Change>) {
    this.#objects = objects[Symbol.asyncIterator]();
  }

  static async open(objects: AsyncIterable<Change>): Promise<Source> {
    const source = new Source(objects);
    await source.next();
    return source;
  }

  async next(): Promise<void> {
    const before = this.current?.key;
    const { done, value } = await this.#objects.next();
    this.current = done ? undefined : value;
    if (before && this.current && Buffer.compare(this.current.key, before) < 0) {
      throw new SrvError(
        'unsupported',
        `the store lists ${this.current.key.toString()} behind ${before.toString()}: it does not list in order of names`,
      );
    }
  }
}
