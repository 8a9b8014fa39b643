/** User records. In mode `none` the first administrator has a partition of its own, under a fixed key. */
import { compareBytes } from '../storage/listing.js';
import { Table, alreadyExists } from '../storage/table.js';
import { adminSlot, authPartition, basicPartition, userKey } from '../storage/keys.js';
import { decodeUser, encodeUser } from '../storage/records.js';
import type { KvStore, User } from '@srv/kernel';
import type { AuthPage, AuthPageRequest, NewUser } from '../../contract.js';
import type { UserRecord } from '../storage/records.js';

const codec = { prefix: 'users/', kind: 'user', encode: encodeUser, decode: decodeUser };

/** Where the records of one user live. */
export interface UserPlace {
  readonly partition: string;
  /** Name that appears in the keys. */
  readonly slot: string;
}

export class Users {
  readonly #users: Table<UserRecord>;
  readonly #admin: Table<UserRecord> | undefined;

  /** @param basic mode `none`. */
  constructor(kv: KvStore, basic: boolean) {
    this.#users = new Table(kv, { partition: authPartition, ...codec });
    this.#admin = basic ? new Table(kv, { partition: basicPartition, ...codec }) : undefined;
  }

  async find(username: string): Promise<User | undefined> {
    const admin = await this.#admin?.find(adminSlot);
    const record = admin?.username === username ? admin : await this.#users.find(username);
    return record && toUser(record);
  }

  /** @throws SrvError `not_found`. */
  async get(username: string): Promise<User> {
    const user = await this.find(username);
    if (!user) throw this.#users.missing(username);
    return user;
  }

  /** @throws SrvError `not_unique`. */
  async create({ username, email = '', friendlyName = '', source = 'internal' }: NewUser): Promise<User> {
    // Refuses names that would break the layout, wherever the record goes.
    userKey(username);
    if (await this.find(username)) throw alreadyExists();
    const record: UserRecord = {
      createdAt: new Date(),
      username,
      friendlyName,
      email,
      source,
      externalId: '',
      encryptedPassword: Buffer.alloc(0),
    };
    const first = this.#admin && (await this.#admin.find(adminSlot)) === undefined;
    if (first) await this.#admin?.create(adminSlot, record);
    else await this.#users.create(username, record);
    return toUser(record);
  }

  async delete(username: string): Promise<void> {
    const { partition, slot } = await this.place(username);
    await (partition === basicPartition ? this.#admin : this.#users)?.delete(slot);
  }

  async place(username: string): Promise<UserPlace> {
    const admin = await this.#admin?.find(adminSlot);
    return admin?.username === username ? { partition: basicPartition, slot: adminSlot } : { partition: authPartition, slot: username };
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

function toUser({ username, email, friendlyName, createdAt }: UserRecord): User {
  return { username, createdAt, ...(email === '' ? {} : { email }), ...(friendlyName === '' ? {} : { friendlyName }) };
}
