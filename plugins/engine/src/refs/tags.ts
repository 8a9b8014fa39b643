/** Tag records. */
import { Records, partitionOf } from '@srv/lib-records';
import { decodeTag, encodeTag } from './messages/index.js';
import { atAnotherCommit } from './reference-rules.js';
import type { KvStore } from '@srv/kernel';
import type { Page, PageRequest, Repository, Tag } from './contract.js';
import type { RefRetries } from './retried-operations.js';

export class Tags {
  readonly #records: Records<Tag>;
  readonly #retries: RefRetries;

  constructor(kv: KvStore, retries: RefRetries) {
    this.#retries = retries;
    this.#records = new Records(kv, { prefix: 'tags', what: 'tag', encode: encodeTag, decode: decodeTag });
  }

  async get(repository: Repository, id: string): Promise<Tag> {
    return (await this.#records.get(partitionOf(repository), id)).value;
  }

  async find(repository: Repository, id: string): Promise<Tag | undefined> {
    return (await this.#records.find(partitionOf(repository), id))?.value;
  }

  /** @param overwrite moves an existing tag in one step. */
  async create(repository: Repository, tag: Tag, overwrite: boolean): Promise<void> {
    const partition = partitionOf(repository);
    if (!overwrite) return this.#records.create(partition, tag.id, tag);
    await this.#retries.run('move_tag', `move tag ${tag.id}`, async () => {
      const found = await this.#records.find(partition, tag.id);
      const done = found
        ? await this.#records.replace(partition, tag.id, tag, found.predicate)
        : await this.#records.createIfAbsent(partition, tag.id, tag);
      return done || undefined;
    });
  }

  /** As {@link create}; an identical existing tag is accepted. */
  async restore(repository: Repository, tag: Tag): Promise<void> {
    const done = await this.#records.createIfAbsent(partitionOf(repository), tag.id, tag);
    if (!done && (await this.get(repository, tag.id)).commitId !== tag.commitId) throw atAnotherCommit('tag', tag.id);
  }

  remove(repository: Repository, id: string): Promise<void> {
    return this.#records.remove(partitionOf(repository), id);
  }

  scan(repository: Repository): AsyncIterable<Tag> {
    return this.#records.scan(partitionOf(repository));
  }

  list(repository: Repository, request: PageRequest): Promise<Page<Tag>> {
    return this.#records.list(partitionOf(repository), request, tag => tag.id);
  }
}
