/** Records of one kind: one key prefix, one codec. */
import { SrvError, absent, present } from '@srv/kernel';
import { recordsBelow } from '@srv/lib-records';
import { name as checkName } from './keys.js';
import { readPage } from './listing.js';
import type { KvStore } from '@srv/kernel';
import type { AuthPage, AuthPageRequest } from '../../pages.js';
import type { StoredItem } from './listing.js';

interface TableOptions<T> {
  readonly partition: string;
  /** Such as `users/`. */
  readonly prefix: string;
  /** For messages: `user`. */
  readonly kind: string;
  readonly encode: (value: T) => Buffer;
  readonly decode: (value: Buffer) => T;
}

export class Table<T> {
  readonly #kv: KvStore;
  readonly #options: TableOptions<T>;

  constructor(kv: KvStore, options: TableOptions<T>) {
    this.#kv = kv;
    this.#options = options;
  }

  async find(name: string): Promise<T | undefined> {
    const found = await this.#kv.get(this.#options.partition, this.#key(name));
    return found && this.#options.decode(found.value);
  }

  /** @throws SrvError `not_found`. */
  async get(name: string): Promise<T> {
    const found = await this.find(name);
    if (found === undefined) throw this.missing(name);
    return found;
  }

  /** @throws SrvError `not_unique`. */
  async create(name: string, value: T): Promise<void> {
    const { partition, encode } = this.#options;
    if (!(await this.#kv.setIf(partition, this.#key(name), encode(value), absent))) throw alreadyExists();
  }

  /** @throws SrvError `not_found`. */
  async replace(name: string, value: T): Promise<void> {
    const { partition, encode } = this.#options;
    if (!(await this.#kv.setIf(partition, this.#key(name), encode(value), present))) throw this.missing(name);
  }

  /** Changes a record as it is now, whatever others write meanwhile. @throws SrvError `not_found`. */
  async update(name: string, change: (value: T) => T): Promise<void> {
    const { partition, encode, decode } = this.#options;
    for (let attempt = 0; attempt < 20; attempt++) {
      const found = await this.#kv.get(partition, this.#key(name));
      if (!found) throw this.missing(name);
      if (await this.#kv.setIf(partition, this.#key(name), encode(change(decode(found.value))), found.predicate)) return;
    }
    throw new SrvError('too_many_tries', `${this.#options.kind} ${name} is being changed by others, too: try again`);
  }

  async put(name: string, value: T): Promise<void> {
    await this.#kv.set(this.#options.partition, this.#key(name), this.#options.encode(value));
  }

  async delete(name: string): Promise<void> {
    await this.#kv.delete(this.#options.partition, this.#key(name));
  }

  page(request: AuthPageRequest = {}): Promise<AuthPage<T>> {
    return readPage(
      start => this.scan(start),
      request,
      ({ value }) => this.#options.decode(value),
    );
  }

  async *names(): AsyncGenerator<string> {
    for await (const { name } of this.scan('')) yield name;
  }

  scan(start: string): AsyncGenerator<StoredItem> {
    return recordsBelow(this.#kv, this.#options.partition, this.#options.prefix, { start });
  }

  missing(name: string): SrvError {
    // The text clients compare: the name is not part of it.
    return new SrvError('not_found', `${this.#options.kind} not found`, { details: { [this.#options.kind]: name } });
  }

  #key(name: string): Buffer {
    return Buffer.from(this.#options.prefix + checkName(this.#options.kind, name), 'utf8');
  }
}

/** The text clients compare. */
export function alreadyExists(): SrvError {
  return new SrvError('not_unique', 'Already exists');
}
