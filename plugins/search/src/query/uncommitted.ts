/** What is not committed on a branch. */
import { decodeEntry } from '@srv/engine/objects/entry';
import type { Engine, Repository } from '@srv/engine/contract';
import type { EntryRecord } from '@srv/engine/objects/entry';
import type { FoundObject } from '../contract.js';
import type { Row } from '../where/fields.js';
import type { Filter } from '../where/filter.js';
import type { Change } from './overlay.js';

interface UncommittedRequest {
  readonly repository: Repository;
  readonly branch: string;
  readonly filter: Filter;
  readonly prefix: Buffer;
  readonly after: Buffer | undefined;
  readonly signal: AbortSignal | undefined;
}

/** What is at the changed paths of a branch, in order of keys. */
export async function* uncommittedChanges(request: UncommittedRequest, engine: Pick<Engine, 'uncommittedRecords'>): AsyncGenerator<Change> {
  const { repository, branch, filter, prefix, after, signal } = request;
  const records = engine.uncommittedRecords(repository, branch, { prefix, start: after, signal });
  for await (const { key, right } of records) {
    if (after && Buffer.compare(key, after) <= 0) continue;
    const object = right && presented(key.toString('utf8'), decodeEntry(right.data));
    yield { key, object: object && filter.test(new EntryRow(object)) ? object : undefined };
  }
}

function presented(path: string, { size, lastModified, etag, metadata, contentType }: EntryRecord): FoundObject {
  return { path, size, lastModified, etag, metadata, contentType: contentType || undefined };
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
