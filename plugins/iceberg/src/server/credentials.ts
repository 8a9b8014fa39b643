/**
 * Temporary access keys of the S3 gateway for the files of a table. Nothing is stored: the session token holds who they are for
 * and what they allow, sealed with a key of this installation, and with it the token of the catalog that they were made for.
 * They end with that token: when it expires, and when its user, access key or sessions are removed.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { folderName } from './storage/table-files.js';
import type { Decision, Identity, Permission, User } from '@srv/kernel';

export interface TableGrant {
  readonly repository: string;
  /** Of the table: `s3://<repository>/.tables/<path>`. */
  readonly location: string;
  readonly mayWrite: boolean;
}

export interface TemporaryKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** What a session token holds. */
interface Sealed extends TableGrant {
  readonly accessKeyId: string;
  /** Of the catalog. */
  readonly token: string;
  readonly expiresAt: number;
}

const algorithm = 'aes-256-gcm';
const [nonceBytes, tagBytes] = [12, 16];
/** No key of a user begins with it. */
const keyPrefix = 'SRVT';
/** Characters of the longest session token that is looked at. */
const maxToken = 8192;

export class TemporaryKeys {
  readonly #identity: Pick<Identity, 'authenticate'>;
  readonly #sealing: Buffer;
  readonly #signing: Buffer;

  /** @param secret of the installation, the same on all of its servers. */
  constructor(secret: string, identity: Pick<Identity, 'authenticate'>) {
    const derived = (purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secret, '', `iceberg ${purpose}`, 32));
    this.#sealing = derived('session token');
    this.#signing = derived('secret');
    this.#identity = identity;
  }

  /** @param token of the catalog. @param expiresAt milliseconds since 1970. */
  issue(grant: TableGrant, token: string, expiresAt: number): TemporaryKey {
    const accessKeyId = keyPrefix + randomBytes(10).toString('hex').toUpperCase();
    const sessionToken = this.#seal({ ...grant, accessKeyId, token, expiresAt });
    return { accessKeyId, secretAccessKey: this.#secretOf(sessionToken), sessionToken, expiresAt };
  }

  /** The user of a signed request with such a key; `undefined` for any other key, and for a wrong or expired one. */
  async userOf(key: { accessKeyId: string; sessionToken?: string | undefined; check(secret: string): boolean }): Promise<User | undefined> {
    const { accessKeyId, sessionToken = '' } = key;
    if (!accessKeyId.startsWith(keyPrefix) || sessionToken.length > maxToken) return undefined;
    const sealed = this.#open(sessionToken);
    if (!sealed || sealed.accessKeyId !== accessKeyId || Date.now() >= sealed.expiresAt) return undefined;
    if (!key.check(this.#secretOf(sessionToken))) return undefined;
    const user = await this.#identity.authenticate({ kind: 'token', token: sealed.token });
    return user && { ...user, grant: permission => decide(permission, sealed) };
  }

  #secretOf(sessionToken: string): string {
    return createHmac('sha256', this.#signing).update(sessionToken).digest('base64url');
  }

  #seal(content: Sealed): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#sealing, nonce);
    const sealed = Buffer.concat([cipher.update(JSON.stringify(content)), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  #open(sessionToken: string): Sealed | undefined {
    const bytes = Buffer.from(sessionToken, 'base64url');
    if (bytes.length <= nonceBytes + tagBytes) return undefined;
    const decipher = createDecipheriv(algorithm, this.#sealing, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    try {
      const content = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
      return JSON.parse(content.toString('utf8')) as Sealed;
    } catch {
      return undefined;
    }
  }
}

const reads = ['fs:ReadObject', 'fs:ListObjects'];
const writes = [...reads, 'fs:WriteObject', 'fs:DeleteObject'];

/** Files of the table, and nothing else. */
function decide(permission: Permission, grant: TableGrant): Decision {
  if ('all' in permission) return permission.all.map(part => decide(part, grant)).find(({ allowed }) => !allowed) ?? { allowed: true };
  if ('any' in permission) return permission.any.map(part => decide(part, grant)).find(({ allowed }) => allowed) ?? refused;
  const { action, resource } = permission;
  const base = `s3://${grant.repository}/${folderName}/`;
  const below = `arn:lakefs:fs:::repository/${grant.repository}/folder/${folderName}/${grant.location.slice(base.length)}/`;
  const isInside = resource.startsWith(below) && !resource.split('/').includes('..');
  return isInside && (grant.mayWrite ? writes : reads).includes(action) ? { allowed: true } : refused;
}

const refused: Decision = { allowed: false, reason: 'insufficient permissions: these credentials are for the files of one table' };
