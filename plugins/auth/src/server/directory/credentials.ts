/** Access keys of users, and the way back from a key to its user. */
import { SrvError, absent } from '@srv/kernel';
import { generateAccessKey } from '@srv/lib-auth';
import { recordsBelow } from '@srv/lib-records';
import { adminSlot, authPartition, basicPartition, credentialKey, credentialsPrefix, ownerKey, ownersComplete } from '../storage/keys.js';
import { readPage } from '../storage/listing.js';
import { decodeCredential, decodeIndex, encodeCredential, encodeIndex } from '../storage/records.js';
import { alreadyExists } from '../storage/table.js';
import { UniqueIndex } from '../storage/unique-index.js';
import type { KvStore } from '@srv/kernel';
import type { AccessKey, Credential, CredentialWithSecret } from '../../contract.js';
import type { AuthPage, AuthPageRequest } from '../../pages.js';
import type { Deletion } from '../storage/deletion.js';
import type { CredentialRecord } from '../storage/records.js';
import type { SecretBox } from '../storage/secrets.js';
import type { UserLocation } from './users.js';

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

export class Credentials {
  readonly #kv: KvStore;
  readonly #box: SecretBox;
  readonly #basic: boolean;
  /** Ways back. */
  readonly #owners: UniqueIndex;

  /** @param basic mode `none`: the administrator's own partition counts too. */
  constructor(kv: KvStore, box: SecretBox, basic: boolean) {
    this.#kv = kv;
    this.#box = box;
    this.#basic = basic;
    this.#owners = new UniqueIndex(kv, async (_, target) => (await kv.get(authPartition, bytes(target))) !== undefined);
  }

  /** Whether each key had its way back once; programs without ways back may have added keys since. */
  async hasOwners(): Promise<boolean> {
    return (await this.#kv.get(authPartition, bytes(ownersComplete))) !== undefined;
  }

  /** Adds the ways back that are missing: of keys that programs without them wrote. An unknown key costs one read. */
  async indexOwners(signal: AbortSignal): Promise<void> {
    for await (const { name } of recordsBelow(this.#kv, authPartition, 'uCredentials/')) {
      if (signal.aborted) return;
      const accessKeyId = /^[^/]+\/credentials\/([^/]+)$/.exec(name)?.[1];
      if (accessKeyId === undefined) continue;
      const wayBack = bytes(ownerKey(accessKeyId));
      if (await this.#kv.get(authPartition, wayBack)) continue;
      await this.#kv.setIf(authPartition, wayBack, encodeIndex(`uCredentials/${name}`), absent);
    }
    await this.#kv.setIf(authPartition, bytes(ownersComplete), bytes('true'), absent);
  }

  /** @throws SrvError `not_unique` when the access key id is taken, by whomever. */
  async create(username: string, { partition, slot }: UserLocation, key: AccessKey = generateAccessKey()): Promise<CredentialWithSecret> {
    const { accessKeyId, secretAccessKey } = key;
    checkSendable(accessKeyId);
    if (await this.#findRecord(accessKeyId)) throw alreadyExists();
    const record: CredentialRecord = { accessKeyId, sealedSecret: await this.#box.seal(secretAccessKey), issuedAt: new Date(), username };
    const target = credentialKey(slot, accessKeyId);
    const write = async (): Promise<void> => {
      if (!(await this.#kv.setIf(partition, bytes(target), encodeCredential(record), absent))) throw alreadyExists();
    };
    // The way back goes first: without it the credential would exist but never be found.
    const wayBack = partition === authPartition ? [ownerKey(accessKeyId)] : [];
    await this.#owners.withClaims(wayBack, target, { write, refuse: alreadyExists });
    return { accessKeyId, secretAccessKey, createdAt: record.issuedAt };
  }

  /** @throws SrvError `not_found`. */
  async get({ partition, slot }: UserLocation, accessKeyId: string): Promise<Credential> {
    const found = await this.#kv.get(partition, bytes(credentialKey(slot, accessKeyId)));
    if (!found) throw new SrvError('not_found', 'credentials not found', { details: { access_key_id: accessKeyId } });
    return toCredential(decodeCredential(found.value));
  }

  page({ partition, slot }: UserLocation, request: AuthPageRequest = {}): Promise<AuthPage<Credential>> {
    return readPage(
      start => recordsBelow(this.#kv, partition, credentialsPrefix(slot), { start }),
      request,
      ({ value }) => toCredential(decodeCredential(value)),
    );
  }

  async delete({ partition, slot }: UserLocation, accessKeyId: string): Promise<void> {
    const target = credentialKey(slot, accessKeyId);
    const wayBack = partition === authPartition ? [ownerKey(accessKeyId)] : [];
    await this.#owners.releasing(wayBack, target, () => this.#kv.delete(partition, bytes(target)));
  }

  async *idsOf({ partition, slot }: UserLocation): AsyncGenerator<string> {
    for await (const { name } of recordsBelow(this.#kv, partition, credentialsPrefix(slot))) yield name;
  }

  /** @param deletion of the user. @returns access key ids. */
  async deleteAll(place: UserLocation, deletion: Deletion<unknown>): Promise<string[]> {
    const ids: string[] = [];
    for await (const id of this.idsOf(place)) ids.push(id);
    for await (const id of deletion.whileThere(ids)) await this.delete(place, id);
    return ids;
  }

  /** The pair with its owner's name; `undefined` for an unknown key. */
  async reveal(accessKeyId: string): Promise<(AccessKey & { readonly username: string }) | undefined> {
    const record = await this.#findRecord(accessKeyId);
    return record && { accessKeyId, secretAccessKey: await this.#box.open(record.sealedSecret), username: record.username };
  }

  async #findRecord(accessKeyId: string): Promise<CredentialRecord | undefined> {
    // Not a key that could be stored: unknown rather than an error, so that a login attempt learns nothing.
    if (accessKeyId === '' || accessKeyId.includes('/')) return undefined;
    if (this.#basic) {
      const admin = await this.#kv.get(basicPartition, bytes(credentialKey(adminSlot, accessKeyId)));
      if (admin) return decodeCredential(admin.value);
    }
    const owner = await this.#kv.get(authPartition, bytes(ownerKey(accessKeyId)));
    const found = owner && (await this.#kv.get(authPartition, bytes(decodeIndex(owner.value))));
    return found && decodeCredential(found.value);
  }
}

function toCredential({ accessKeyId, issuedAt }: CredentialRecord): Credential {
  return { accessKeyId, createdAt: issuedAt };
}

/** Basic authentication ends the id at the first colon (RFC 7617), and signatures at a slash or space. @throws SrvError `invalid`. */
function checkSendable(accessKeyId: string): void {
  if (!/^[!-~]+$/.test(accessKeyId) || /[:/]/.test(accessKeyId))
    throw new SrvError(
      'invalid',
      `access key ${JSON.stringify(accessKeyId)}: must be printable ASCII characters without spaces, colons and slashes: validation error`,
    );
}
