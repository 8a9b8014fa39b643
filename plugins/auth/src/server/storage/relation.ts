/** Which members belong to which owners: index records `<prefix of the owner><member>`. */
import { SrvError, absent } from '@srv/kernel';
import { recordsBelow } from '@srv/lib-records';
import { authPartition } from './keys.js';
import { readPage } from './listing.js';
import { encodeIndex } from './records.js';
import { alreadyExists } from './table.js';
import type { KvStore } from '@srv/kernel';
import type { AuthPage, AuthPageRequest } from '../../pages.js';
import type { Deletion } from './deletion.js';

interface RelationOptions {
  /** Key prefix of an owner's members. */
  prefix(owner: string): string;
  /** Key of the member's own record. */
  primary(member: string): string;
  /** For messages: `membership`. */
  readonly kind: string;
}

export class Relation {
  readonly #kv: KvStore;
  readonly #options: RelationOptions;

  constructor(kv: KvStore, options: RelationOptions) {
    this.#kv = kv;
    this.#options = options;
  }

  /** @throws SrvError `not_unique` when it is there already, unless `tolerate`. */
  async add(owner: string, member: string, { tolerate = false } = {}): Promise<void> {
    const added = await this.#kv.setIf(authPartition, this.#key(owner, member), encodeIndex(this.#options.primary(member)), absent);
    if (!added && !tolerate) throw alreadyExists();
  }

  async has(owner: string, member: string): Promise<boolean> {
    return (await this.#kv.get(authPartition, this.#key(owner, member))) !== undefined;
  }

  /** @throws SrvError `not_found`. */
  async remove(owner: string, member: string): Promise<void> {
    if (!(await this.has(owner, member))) throw new SrvError('not_found', `${this.#options.kind} not found: ${owner}, ${member}`);
    await this.drop(owner, member);
  }

  /** Removes without asking whether it is there. */
  async drop(owner: string, member: string): Promise<void> {
    await this.#kv.delete(authPartition, this.#key(owner, member));
  }

  /** @param deletion of the owner. */
  async dropOwner(owner: string, deletion: Deletion<unknown>): Promise<void> {
    for await (const member of deletion.whileThere(this.members(owner))) await this.drop(owner, member);
  }

  async *members(owner: string): AsyncGenerator<string> {
    for await (const { name } of recordsBelow(this.#kv, authPartition, this.#options.prefix(owner))) yield name;
  }

  /** @param load `undefined` for a member that no longer exists: its entry is skipped. */
  page<T>(owner: string, request: AuthPageRequest, load: (member: string) => Promise<T | undefined>): Promise<AuthPage<T>> {
    return readPage(
      start => recordsBelow(this.#kv, authPartition, this.#options.prefix(owner), { start }),
      request,
      ({ name }) => load(name),
    );
  }

  #key(owner: string, member: string): Buffer {
    return Buffer.from(this.#options.prefix(owner) + member, 'utf8');
  }
}
