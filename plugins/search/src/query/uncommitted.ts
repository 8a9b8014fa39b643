/** Results with what is not committed on a branch. */
import { decodeEntry } from '@srv/engine/objects/entry';
import type { Engine, Repository } from '@srv/engine/contract';
import type { EntryRecord } from '@srv/engine/objects/entry';
import type { FoundObject } from '../contract.js';
import type { Row } from '../where/fields.js';
import type { Filter } from '../where/filter.js';

interface OverlayRequest {
  readonly repository: Repository;
  readonly branch: string;
  readonly filter: Filter;
  readonly prefix: Buffer;
  readonly after: Buffer | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Committed results, in order of keys, with those of the branch that are changed replaced, and those that are deleted left out. */
export async function* withUncommitted(
  committed: AsyncIterable<FoundObject>,
  request: OverlayRequest,
  engine: Pick<Engine, 'uncommittedRecords'>,
): AsyncGenerator<FoundObject> {
  const { repository, branch, filter, prefix, after, signal } = request;
  const changes = engine
    .uncommittedRecords(repository, branch, { prefix, ...(after ? { start: after } : {}), signal })
    [Symbol.asyncIterator]();
  try {
    let change = await changes.next();
    const passed = function* (): Generator<FoundObject> {
      const { key, right } = change.done ? { key: prefix, right: undefined } : change.value;
      if (!right || (after && Buffer.compare(key, after) <= 0)) return;
      const found = presented(key.toString('utf8'), decodeEntry(right.data));
      if (filter.test(new EntryRow(found))) yield found;
    };
    for await (const found of committed) {
      const key = Buffer.from(found.path);
      for (; !change.done && Buffer.compare(change.value.key, key) < 0; change = await changes.next()) yield* passed();
      const isReplaced = !change.done && change.value.key.equals(key);
      if (!isReplaced) yield found;
    }
    for (; !change.done; change = await changes.next()) yield* passed();
  } finally {
    await changes.return?.();
  }
}

function presented(path: string, { size, lastModified, etag, metadata, contentType }: EntryRecord): FoundObject {
  return { path, size, lastModified, etag, metadata, ...(contentType === '' ? {} : { contentType }) };
}

/** What is not committed has neither a commit nor a committer. */
class EntryRow implements Row {
  readonly #object: FoundObject;

  constructor(object: FoundObject) {
    this.#object = object;
  }

  number(field: 'size' | 'modified'): number {
    return field === 'size' ? this.#object.size : this.#object.lastModified.getTime();
  }

  text(field: 'path' | 'etag' | 'content_type' | 'commit_id' | 'committer'): string | undefined {
    const { path, etag, contentType } = this.#object;
    if (field === 'path') return path;
    if (field === 'etag') return etag;
    return field === 'content_type' ? contentType : undefined;
  }

  metadata(key: string): string | undefined {
    const { metadata } = this.#object;
    return Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  }
}
