/** Shared access signatures, and what the service needs to read a source of a copy. */
import { BlobSASPermissions, SASProtocol, generateBlobSASQueryParameters } from '@azure/storage-blob';
import { SrvError } from '@srv/kernel';
import { scope } from './client.js';
import { directorySas } from './vend.js';
import type { HttpAuthorization, UserDelegationKey } from '@azure/storage-blob';
import type { PreSigned, VendRequest } from '@srv/lib-stores/block';
import type { BlobAddress } from './address.js';
import type { Accounts } from './client.js';

interface SignOptions {
  readonly mode: 'read' | 'write';
  /** Milliseconds from now. */
  readonly expiresIn: number;
  readonly disposition?: string;
}

interface DelegationKey {
  readonly key: UserDelegationKey;
  readonly fetched: number;
}

/** A version all clouds and emulators know; what is signed has not changed for us since. */
const signatureVersion = '2023-11-03';
const permissions = { read: 'r', write: 'raw' } as const;
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
/** Clocks differ. */
const delegationSkew = 10 * second;
const delegationLonger = hour;
const delegationReuse = 30 * minute;
/** The service gives no key for longer. */
const delegationLongest = 7 * day;
/** How long the service may take to begin reading a source we point it to. */
const sourceExpiry = hour;

export class Signer {
  readonly #client: Accounts;
  readonly #delegationKeys = new Map<string, Promise<DelegationKey>>();

  constructor(accounts: Accounts) {
    this.#client = accounts;
  }

  /** A URL that needs no further credentials; signed with the shared key, or a key the service lends to the identity. */
  async sign(address: BlobAddress, { mode, expiresIn, disposition }: SignOptions): Promise<PreSigned & { expiry: Date }> {
    const { account, container, blob } = address;
    const wanted = wholeSeconds(Date.now() + expiresIn);
    const values = {
      version: signatureVersion,
      containerName: container,
      blobName: blob,
      permissions: BlobSASPermissions.parse(permissions[mode]),
      // An emulator speaks plain HTTP.
      protocol: this.#client.endpoint(account).startsWith('http:') ? SASProtocol.HttpsAndHttp : SASProtocol.Https,
      ...(disposition === undefined ? {} : { contentDisposition: disposition }),
    };
    const credential = this.#client.credential(account);
    const url = this.#client.url(address);
    if ('sharedKey' in credential) {
      const query = generateBlobSASQueryParameters({ ...values, expiresOn: wanted }, credential.sharedKey);
      return { url: `${url}?${query.toString()}`, expiry: wanted };
    }
    const key = await this.#delegationKey(account, wanted);
    const expiry = new Date(Math.min(wanted.getTime(), key.signedExpiresOn.getTime()));
    const query = generateBlobSASQueryParameters({ ...values, expiresOn: expiry }, key, account);
    return { url: `${url}?${query.toString()}`, expiry };
  }

  /** What is below a directory. @param address with a slash at its end. */
  async directory(address: BlobAddress, { mayWrite, durationMs }: VendRequest): Promise<{ readonly sas: string; readonly expiry: Date }> {
    const { account } = address;
    const wanted = wholeSeconds(Date.now() + durationMs);
    const protocol = this.#client.endpoint(account).startsWith('http:') ? 'https,http' : 'https';
    const credential = this.#client.credential(account);
    if ('sharedKey' in credential)
      return { sas: directorySas({ address, mayWrite, expiry: wanted, protocol }, credential.sharedKey), expiry: wanted };
    const key = await this.#delegationKey(account, wanted);
    const expiry = new Date(Math.min(wanted.getTime(), key.signedExpiresOn.getTime()));
    return { sas: directorySas({ address, mayWrite, expiry, protocol }, key), expiry };
  }

  /** How the service reads `source` when it copies. */
  async source(source: BlobAddress): Promise<{ url: string; sourceAuthorization?: HttpAuthorization }> {
    const credential = this.#client.credential(source.account);
    if ('sharedKey' in credential) return { url: (await this.sign(source, { mode: 'read', expiresIn: sourceExpiry })).url };
    const token = await credential.identity.getToken(scope);
    if (!token) throw new SrvError('forbidden', `${source.account}: the identity has no token for Azure Storage`);
    return { url: this.#client.blob(source).url, sourceAuthorization: { scheme: 'Bearer', value: token.token } };
  }

  /** One request per account and half hour, also when many ask at once. */
  async #delegationKey(account: string, expiry: Date): Promise<UserDelegationKey> {
    const known = this.#delegationKeys.get(account);
    const found = await known?.catch(() => undefined);
    if (found && Date.now() - found.fetched < delegationReuse && found.key.signedExpiresOn >= expiry) return found.key;
    // Another caller may have asked while we checked the old one.
    let asking = this.#delegationKeys.get(account);
    if (!asking || asking === known) {
      asking = this.#fetchDelegationKey(account, expiry);
      this.#delegationKeys.set(account, asking);
    }
    return (await asking).key;
  }

  async #fetchDelegationKey(account: string, expiry: Date): Promise<DelegationKey> {
    const now = Date.now();
    const start = now - delegationSkew;
    const until = Math.min(expiry.getTime() + delegationLonger, start + delegationLongest);
    const key = await this.#client.service(account).getUserDelegationKey(new Date(start), wholeSeconds(until));
    return { key, fetched: now };
  }
}

function wholeSeconds(milliseconds: number): Date {
  return new Date(Math.floor(milliseconds / second) * second);
}
