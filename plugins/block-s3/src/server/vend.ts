/** Temporary credentials of a role, limited by a session policy to what lies below one prefix. */
import { fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import { LRUCache } from 'lru-cache';
import type { BucketKey, VendRequest, VendedCredentials } from '@srv/lib-stores/block';
import type { Encryption } from './address.js';
import type { Clients, Credentials } from './client.js';

export interface VendOptions {
  readonly roleArn: string;
  readonly externalId?: string | undefined;
  /** Absent: that of AWS. */
  readonly stsEndpoint?: string | undefined;
  /** Who takes the role. */
  readonly credentials: Credentials;
  /** Where clients find the store; absent: AWS. */
  readonly endpoint?: string | undefined;
  readonly forcePathStyle: boolean;
  readonly encryption: Encryption;
}

/** Seconds that the service gives credentials for. */
const [shortest, longest] = [900, 43_200];
/** @bound prefixes whose credentials are kept for the next client */
export const maxKept = 1000;

interface Kept {
  readonly credentials: Promise<VendedCredentials>;
  /** Unix milliseconds; unlimited until the service has answered. */
  until: number;
}

export class Vendor {
  readonly #options: VendOptions;
  readonly #clients: Pick<Clients, 'handler'>;
  readonly #kept = new LRUCache<string, Kept>({ max: maxKept });

  constructor(options: VendOptions, clients: Pick<Clients, 'handler'>) {
    this.#options = options;
    this.#clients = clients;
  }

  /** Clients share credentials for the first half of the life that the service gave them: it is asked once per prefix. */
  async vend(place: BucketKey, region: string, request: VendRequest): Promise<VendedCredentials> {
    const id = JSON.stringify([place.bucket, place.key, region, request]);
    const known = this.#kept.get(id);
    if (known && Date.now() < known.until) return known.credentials;
    const kept: Kept = { credentials: this.#assume(place, region, request), until: Number.POSITIVE_INFINITY };
    this.#kept.set(id, kept);
    try {
      const credentials = await kept.credentials;
      const now = Date.now();
      kept.until = now + (credentials.expiry.getTime() - now) / 2;
      return credentials;
    } catch (error) {
      if (this.#kept.peek(id) === kept) this.#kept.delete(id);
      throw error;
    }
  }

  async #assume(place: BucketKey, region: string, { mayWrite, durationMs }: VendRequest): Promise<VendedCredentials> {
    const { roleArn, externalId, stsEndpoint, credentials, endpoint, forcePathStyle, encryption } = this.#options;
    const durationSeconds = Math.min(longest, Math.max(shortest, Math.floor(durationMs / 1000)));
    const assume = fromTemporaryCredentials({
      masterCredentials: credentials,
      params: {
        RoleArn: roleArn,
        RoleSessionName: 'srv',
        DurationSeconds: durationSeconds,
        Policy: JSON.stringify(sessionPolicy(place, { mayWrite, partition: roleArn.split(':')[1] ?? 'aws', encryption })),
        ...(externalId === undefined ? {} : { ExternalId: externalId }),
      },
      clientConfig: { region, requestHandler: this.#clients.handler, ...(stsEndpoint === undefined ? {} : { endpoint: stsEndpoint }) },
    });
    const { accessKeyId, secretAccessKey, sessionToken = '', expiration } = await assume();
    const expiry = expiration ?? new Date(Date.now() + durationSeconds * 1000);
    return { kind: 's3', accessKeyId, secretAccessKey, sessionToken, region, endpoint, forcePathStyle, expiry };
  }
}

interface PolicyOptions {
  readonly mayWrite: boolean;
  /** Of AWS: `aws`, `aws-cn`, … */
  readonly partition: string;
  readonly encryption: Encryption;
}

const [reads, writes] = [['s3:GetObject'], ['s3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts']];

/** What a session may do: the role's own policies hold as well. @param key a prefix that ends in a slash. */
export function sessionPolicy({ bucket, key }: BucketKey, { mayWrite, partition, encryption }: PolicyOptions): object {
  const prefix = literal(key);
  const bucketArn = `arn:${partition}:s3:::${bucket}`;
  const keyId = encryption.SSEKMSKeyId;
  const keys = keyId?.startsWith('arn:') ? keyId : '*';
  const objects = [
    { Effect: 'Allow', Action: mayWrite ? [...reads, ...writes] : reads, Resource: [`${bucketArn}/${prefix}*`] },
    { Effect: 'Allow', Action: ['s3:ListBucket'], Resource: [bucketArn], Condition: { StringLike: { 's3:prefix': [`${prefix}*`] } } },
    { Effect: 'Allow', Action: ['s3:GetBucketLocation'], Resource: [bucketArn] },
  ];
  const encrypted = encryption.ServerSideEncryption?.startsWith('aws:kms')
    ? [{ Effect: 'Allow', Action: ['kms:Decrypt', ...(mayWrite ? ['kms:GenerateDataKey'] : [])], Resource: [keys] }]
    : [];
  return { Version: '2012-10-17', Statement: [...objects, ...encrypted] };
}

/** In policies `*`, `?` and `$` have meanings. */
function literal(key: string): string {
  return key.replaceAll(/[*?$]/g, character => `\${${character}}`);
}
