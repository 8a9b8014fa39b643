/** User records. In mode `none` the first administrator has a partition of its own, under a fixed key. */

import { checkLength, checkNewName } from '@srv/lib-auth';
import { compareBytes } from '@srv/lib-records';
import { adminSlot, authPartition, basicPartition, emailKey, externalIdKey, userKey, usersPrefix } from '../storage/keys.js';
import { decodeIndex, decodeUser, encodeUser } from '../storage/records.js';
import { Table, alreadyExists } from '../storage/table.js';
import { UniqueIndex } from '../storage/unique-index.js';
import type { KvStore, User } from '@srv/kernel';
import type { Account, AccountChange, NewAccount } from '../../contract.js';
import type { AuthPage, AuthPageRequest } from '../../pages.js';
import type { Deletion } from '../storage/deletion.js';
import type { Owner } from '../storage/owned-write.js';
import type { UserRecord } from '../storage/records.js';

const codec = { prefix: usersPrefix, kind: 'user', encode: encodeUser, decode: decodeUser };

/** Where the records of one user live. */
export interface UserLocation {
  readonly partition: string;
  /** Name that appears in the keys. */
  readonly slot: string;
}

export class Users {
  readonly #kv: KvStore;
  readonly #users: Table<UserRecord>;
  readonly #admin: Table<UserRecord> | undefined;
  /** E-mail addresses and external IDs. */
  readonly #index: UniqueIndex;

  /** @param basic mode `none`. */
  constructor(kv: KvStore, basic: boolean) {
    this.#kv = kv;
    this.#users = new Table(kv, { partition: authPartition, ...codec });
    this.#admin = basic ? new Table(kv, { partition: basicPartition, ...codec }) : undefined;
    this.#index = new UniqueIndex(kv, async (key, primaryKey) => {
      const record = await this.#record(primaryKey.slice(codec.prefix.length));
      return record !== undefined && indexKeys(record).includes(key);
    });
  }

  async find(username: string): Promise<User | undefined> {
    const record = await this.#record(username);
    return record && toUser(record);
  }

  /** Includes what only code that checks passwords or authenticates users needs. */
  async findAccount(username: string): Promise<Account | undefined> {
    const record = await this.#record(username);
    return record && toAccount(record);
  }

  /** @param by finds the user that another service, or an e-mail address, leads to. */
  async findBy(by: 'email' | 'externalId', value: string): Promise<Account | undefined> {
    const key = by === 'email' ? emailKey(value) : externalIdKey(value);
    const entry = await this.#kv.get(authPartition, Buffer.from(key, 'utf8'));
    // Databases of other programs have no such entries: there the name of the user is the address or the ID.
    const username = entry ? decodeIndex(entry.value).slice(codec.prefix.length) : by === 'email' ? value.toLowerCase() : value;
    const account = isName(username) ? await this.findAccount(username) : undefined;
    const found = by === 'email' ? account?.email?.toLowerCase() === value.toLowerCase() : account?.externalId === value;
    return found ? account : undefined;
  }

  async #record(username: string): Promise<UserRecord | undefined> {
    const admin = await this.#admin?.find(adminSlot);
    return admin?.username === username ? admin : this.#users.find(username);
  }

  /** @throws SrvError `not_found`. */
  change(username: string, facts: Partial<Pick<UserRecord, 'friendlyName' | 'encryptedPassword'>>): Promise<void> {
    return this.#update(username, facts);
  }

  async #update(username: string, facts: Partial<UserRecord>): Promise<void> {
    const { partition, slot } = await this.place(username);
    await this.#tableOf(partition).update(slot, record => ({ ...record, ...facts }));
  }

  /** The user as requests know it: deactivated ones are unknown, and those whose deletion has begun. */
  async findActive(username: string): Promise<User | undefined> {
    const { partition, slot } = await this.place(username);
    const record = await this.#tableOf(partition).findKept(slot);
    return record && !record.inactive ? toUser(record) : undefined;
  }

  /** @throws SrvError `not_found`; `not_unique` when another user has the address or the external ID. */
  async reassign(username: string, facts: AccountChange): Promise<void> {
    checkIndexed(facts);
    const old = await this.#record(username);
    if (!old) throw this.#users.missing(username);
    // What is absent stays as it is when it is written, not as it was read.
    const changed = Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined));
    const [before, now] = [indexKeys(old), indexKeys({ ...old, ...changed })];
    const unused = before.filter(key => !now.includes(key));
    const write = (): Promise<void> => this.#index.releasing(unused, userKey(username), () => this.#update(username, changed));
    // Also what the user has already: another request may be about to release it.
    const claimed = indexKeys({ email: '', externalId: '', ...changed });
    await this.#index.withClaims(claimed, userKey(username), { write, refuse: alreadyExists });
  }

  /** @throws SrvError `not_found`. */
  async get(username: string): Promise<User> {
    const user = await this.find(username);
    if (!user) throw this.#users.missing(username);
    return user;
  }

  /** The user, for what is to belong to it. */
  owner(username: string): Owner {
    return {
      identity: async () => {
        const { partition, slot } = await this.place(username);
        return this.#tableOf(partition)
          .owner(slot, ({ createdAt }) => createdAt.getTime())
          .identity();
      },
      missing: () => this.#users.missing(username),
    };
  }

  /** @throws SrvError `invalid` for a name that new users cannot have, `not_unique`. */
  async create(account: NewAccount): Promise<User> {
    const { username, email = '', friendlyName = '', source = 'internal', externalId = '', encryptedPassword = '' } = account;
    checkNewName('User', username);
    checkIndexed(account);
    // Refuses names that would break the layout, wherever the record goes.
    userKey(username);
    if (await this.find(username)) throw alreadyExists();
    const record: UserRecord = {
      createdAt: new Date(),
      username,
      friendlyName,
      email,
      source,
      externalId,
      encryptedPassword: Buffer.from(encryptedPassword, 'utf8'),
    };
    await this.#index.withClaims(indexKeys(record), userKey(username), { write: () => this.#write(record), refuse: alreadyExists });
    return toUser(record);
  }

  async #write(record: UserRecord): Promise<void> {
    const first = this.#admin && (await this.#admin.find(adminSlot)) === undefined;
    if (first) await this.#admin?.create(adminSlot, record);
    else await this.#users.create(record.username, record);
  }

  /** See {@link Table.beginDeletion}. @throws SrvError `not_found`, `too_many_tries`. */
  async beginDeletion(username: string): Promise<Deletion<UserRecord>> {
    const { partition, slot } = await this.place(username);
    return this.#tableOf(partition).beginDeletion(slot);
  }

  /** Removes the record, then its entries, which without a record lead nowhere. */
  async finishDeletion(deletion: Deletion<UserRecord>): Promise<void> {
    const { record } = deletion;
    await this.#index.releasing(indexKeys(record), userKey(record.username), () => deletion.removeRecord());
  }

  async place(username: string): Promise<UserLocation> {
    const admin = await this.#admin?.find(adminSlot);
    return admin?.username === username ? { partition: basicPartition, slot: adminSlot } : { partition: authPartition, slot: username };
  }

  #tableOf(partition: string): Table<UserRecord> {
    return (partition === basicPartition ? this.#admin : undefined) ?? this.#users;
  }

  async page(request: AuthPageRequest = {}): Promise<AuthPage<User>> {
    const { results, hasMore, nextOffset } = await this.#users.page(request);
    const admin = await this.#admin?.find(adminSlot);
    const users = results.map(toUser);
    if (!admin || !isOnPage(admin.username, request, hasMore ? nextOffset : undefined)) return { results: users, hasMore, nextOffset };
    const merged = [...users, toUser(admin)].sort((a, b) => compareBytes(a.username, b.username));
    const shown = merged.slice(0, request.amount ?? 100);
    const more = hasMore || shown.length < merged.length;
    return { results: shown, hasMore: more, nextOffset: more ? (shown.at(-1)?.username ?? '') : '' };
  }
}

function isOnPage(username: string, { prefix = '', after = '' }: AuthPageRequest, last: string | undefined): boolean {
  return (
    username.startsWith(prefix) &&
    (after === '' || compareBytes(username, after) > 0) &&
    (last === undefined || compareBytes(username, last) < 0)
  );
}

/** Keys of the entries that lead to a user. */
function indexKeys({ email, externalId }: Pick<UserRecord, 'email' | 'externalId'>): string[] {
  return [...(externalId === '' ? [] : [externalIdKey(externalId)]), ...(email === '' ? [] : [emailKey(email)])];
}

/** @throws SrvError `invalid` for what would not fit into the keys of every kind of database. */
function checkIndexed({ email = '', externalId = '' }: Pick<AccountChange, 'email' | 'externalId'>): void {
  checkLength('e-mail address', email);
  checkLength('external ID', externalId);
}

function isName(username: string): boolean {
  return username !== '' && !username.includes('/');
}

function toAccount(record: UserRecord): Account {
  const { source, externalId, encryptedPassword } = record;
  const password = encryptedPassword.toString('utf8');
  return { ...toUser(record), source, externalId, encryptedPassword: password };
}

function toUser({ username, email, friendlyName, createdAt, externalId, inactive }: UserRecord): User {
  return {
    username,
    createdAt,
    email: email || undefined,
    friendlyName: friendlyName || undefined,
    externalId: externalId || undefined,
    ...(inactive === true ? { inactive } : {}),
  };
}
