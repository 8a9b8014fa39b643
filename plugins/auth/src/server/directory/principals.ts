/** Principals of other services, such as roles of a cloud account: each belongs to one user, and a user can have many. */
import { SrvError } from '@srv/kernel';
import { asPart, authPartition, fromPart, principalsPrefix, userKey, userPrincipalsPrefix } from '../storage/keys.js';
import { decodeIndex, encodeIndex } from '../storage/records.js';
import { Relation } from '../storage/relation.js';
import { Table } from '../storage/table.js';
import type { KvStore } from '@srv/kernel';
import type { ExternalPrincipal } from '../../contract.js';
import type { AuthPage, AuthPageRequest } from '../../pages.js';
import type { Deletion } from '../storage/deletion.js';

export class Principals {
  /** Principal → key of its user. */
  readonly #owners: Table<string>;
  readonly #ofUser: Relation;

  constructor(kv: KvStore) {
    const codec = { encode: encodeIndex, decode: decodeIndex };
    this.#owners = new Table(kv, { partition: authPartition, prefix: principalsPrefix, kind: 'external principal', ...codec });
    const primary = (part: string): string => `${principalsPrefix}${part}`;
    this.#ofUser = new Relation(kv, { kind: 'external principal', prefix: userPrincipalsPrefix, primary });
  }

  /** @throws SrvError `not_unique` when the principal belongs to a user already. */
  async create(username: string, id: string): Promise<void> {
    if (id === '') throw new SrvError('invalid', 'principal ID: must not be empty');
    await this.#owners.create(asPart(id), userKey(username));
    await this.#ofUser.add(username, asPart(id), { tolerate: true });
  }

  /** @throws SrvError `not_found` when the principal does not belong to this user. */
  async delete(username: string, id: string): Promise<void> {
    const found = await this.find(id);
    if (found?.username !== username) throw this.#owners.missing(id);
    await this.#owners.delete(asPart(id));
    await this.#ofUser.drop(username, asPart(id));
  }

  async find(id: string): Promise<ExternalPrincipal | undefined> {
    const owner = id === '' ? undefined : await this.#owners.find(asPart(id));
    return owner === undefined ? undefined : { id, username: owner.slice('users/'.length) };
  }

  async page(username: string, { prefix, after, ...rest }: AuthPageRequest = {}): Promise<AuthPage<ExternalPrincipal>> {
    const request = { ...rest, prefix: prefix ? asPart(prefix) : undefined, after: after ? asPart(after) : undefined };
    const page = await this.#ofUser.page(username, request, async part => ({ id: fromPart(part), username }));
    return { ...page, nextOffset: fromPart(page.nextOffset) };
  }

  /** @param deletion of the user. */
  async forgetUser(username: string, deletion: Deletion<unknown>): Promise<void> {
    for await (const part of deletion.whileThere(this.#ofUser.members(username))) {
      await this.#owners.delete(part);
      await this.#ofUser.drop(username, part);
    }
  }
}
