/** Records of one kind: one key prefix, one codec. */
import { SrvError, absent } from '@srv/kernel';
import { carryUnknownFields, recordsBelow } from '@srv/lib-records';
import { Deletion, isBeingRemoved, isMarkedDeleted, markDeleted } from './deletion.js';
import { name as checkName } from './keys.js';
import { readPage } from './listing.js';
import type { KvStore } from '@srv/kernel';
import type { AuthPage, AuthPageRequest } from '../../pages.js';
import type { StoredItem } from './listing.js';
import type { Owner } from './owned-write.js';

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

  /** The record, unless its deletion has begun. */
  async findKept(name: string): Promise<T | undefined> {
    const found = await this.#kv.get(this.#options.partition, this.#key(name));
    return found && !isMarkedDeleted(found.value) ? this.#options.decode(found.value) : undefined;
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
  replace(name: string, value: T): Promise<void> {
    return this.update(name, () => value);
  }

  /** Changes a record as it is now, whatever others write meanwhile; fields of a newer release stay. @throws SrvError `not_found`, also while it is being deleted. */
  async update(name: string, change: (value: T) => T): Promise<void> {
    const { encode, decode } = this.#options;
    await this.#rewrite(name, value => {
      if (isMarkedDeleted(value)) return undefined;
      const old = decode(value);
      return encode(carryUnknownFields(old, change(old)));
    });
  }

  /**
   * Marks a record before what belongs to it is removed: from here on nothing can be added to it. Repeats a deletion that stopped
   * halfway, too. @throws SrvError `not_found`; `too_many_tries` while another request does the last step.
   */
  async beginDeletion(name: string): Promise<Deletion<T>> {
    const { partition, kind, decode } = this.#options;
    const marked = await this.#rewrite(name, value => {
      if (isBeingRemoved(value))
        throw new SrvError('too_many_tries', `${kind} ${name} is being deleted by another request: try again in a minute`);
      return isMarkedDeleted(value) ? value : markDeleted(value);
    });
    return new Deletion({ kv: this.#kv, partition, key: this.#key(name) }, marked, decode(marked));
  }

  /** The record, for what is to belong to it. @param identityOf distinguishes it from a later one of the name; absent: nothing does. */
  owner(name: string, identityOf: (value: T) => number = () => 0): Owner {
    return {
      identity: async () => {
        const found = await this.#kv.get(this.#options.partition, this.#key(name));
        if (!found || isMarkedDeleted(found.value)) throw this.missing(name);
        return identityOf(this.#options.decode(found.value));
      },
      missing: () => this.missing(name),
    };
  }

  /** @param change `undefined`: the record does not count. @returns what is stored now. */
  async #rewrite(name: string, change: (value: Buffer) => Buffer | undefined): Promise<Buffer> {
    const { partition } = this.#options;
    for (let attempt = 0; attempt < 20; attempt++) {
      const found = await this.#kv.get(partition, this.#key(name));
      const changed = found && change(found.value);
      if (!changed) throw this.missing(name);
      if (await this.#kv.setIf(partition, this.#key(name), changed, found.predicate)) return changed;
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
