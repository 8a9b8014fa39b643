/** Principals of other services, such as roles of a cloud account: each belongs to one user, and a user can have many. */
import { SrvError } from '@srv/kernel';
import { asPart, authPartition, fromPart, principalsPrefix, userKey, userPrincipalsPrefix, usersPrefix } from '../storage/keys.js';
import { decodeIndex } from '../storage/records.js';
import { Relation } from '../storage/relation.js';
import { alreadyExists } from '../storage/table.js';
import { UniqueIndex } from '../storage/unique-index.js';
import type { KvStore } from '@srv/kernel';
import type { ExternalPrincipal } from '../../contract.js';
import type { AuthPage, AuthPageRequest } from '../../pages.js';
import type { Deletion } from '../storage/deletion.js';

/** A user has a principal while both entries are there: the one that leads from it to the user, and that in the user's list. */
export class Principals {
  readonly #kv: KvStore;
  /** Principal → key of its user; the entry in the list of the user is the record. */
  readonly #owners: UniqueIndex;
  readonly #ofUser: Relation;

  constructor(kv: KvStore) {
    this.#kv = kv;
    this.#ofUser = new Relation(kv, { kind: 'external principal', prefix: userPrincipalsPrefix, primary: principalKey });
    this.#owners = new UniqueIndex(kv, (key, primaryKey) =>
      this.#ofUser.has(primaryKey.slice(usersPrefix.length), key.slice(principalsPrefix.length)),
    );
  }

  /** @throws SrvError `not_unique` when the principal belongs to a user already. */
  async create(username: string, id: string): Promise<void> {
    if (id === '') throw new SrvError('invalid', 'principal ID: must not be empty');
    if (await this.find(id)) throw alreadyExists();
    const part = asPart(id);
    const write = (): Promise<void> => this.#ofUser.add(username, part, { tolerate: true });
    await this.#owners.withClaims([principalKey(part)], userKey(username), { write, refuse: alreadyExists });
  }

  /** @throws SrvError `not_found` when the principal does not belong to this user. */
  async delete(username: string, id: string): Promise<void> {
    if ((await this.find(id))?.username !== username)
      throw new SrvError('not_found', 'external principal not found', { details: { 'external principal': id } });
    await this.#drop(username, asPart(id));
  }

  async find(id: string): Promise<ExternalPrincipal | undefined> {
    const username = id === '' ? undefined : await this.#userOf(asPart(id));
    return username !== undefined && (await this.#ofUser.has(username, asPart(id))) ? { id, username } : undefined;
  }

  async page(username: string, { prefix, after, ...rest }: AuthPageRequest = {}): Promise<AuthPage<ExternalPrincipal>> {
    const request = { ...rest, prefix: prefix ? asPart(prefix) : undefined, after: after ? asPart(after) : undefined };
    const page = await this.#ofUser.page(username, request, async part =>
      (await this.#userOf(part)) === username ? { id: fromPart(part), username } : undefined,
    );
    return { ...page, nextOffset: fromPart(page.nextOffset) };
  }

  /** @param deletion of the user. */
  async forgetUser(username: string, deletion: Deletion<unknown>): Promise<void> {
    for await (const part of deletion.whileThere(this.#ofUser.members(username))) await this.#drop(username, part);
  }

  async #drop(username: string, part: string): Promise<void> {
    await this.#owners.releasing([principalKey(part)], userKey(username), () => this.#ofUser.drop(username, part));
  }

  /** Name of the user that a principal leads to, who may no longer have it. */
  async #userOf(part: string): Promise<string | undefined> {
    const entry = await this.#kv.get(authPartition, Buffer.from(principalKey(part), 'utf8'));
    const owner = entry && decodeIndex(entry.value);
    return owner?.startsWith(usersPrefix) ? owner.slice(usersPrefix.length) : undefined;
  }
}

const principalKey = (part: string): string => `${principalsPrefix}${part}`;
