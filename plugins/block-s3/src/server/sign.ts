/** URLs that let others read and write for a while. */
import { GetObjectCommand, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { attachment } from '@srv/lib-stores/block';
import { SigningKeys } from './signing-key.js';
import { signUrl, urlTemplate } from './url-template.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { PreSigned } from '@srv/lib-stores/block';
import type { ObjectPlace } from './address.js';
import type { UrlTemplate, UrlToSign } from './url-template.js';

type Kind = 'read' | 'write' | 'part';

/** What a URL is to allow. */
export interface UrlRequest {
  readonly kind: Kind;
  readonly bucket: string;
  readonly key: string;
  readonly query: Readonly<Record<string, string>>;
}

type Target = Pick<ObjectPlace, 'bucket' | 'key'>;

export function readRequest({ bucket, key }: Target, filename: string | undefined): UrlRequest {
  return { kind: 'read', bucket, key, query: filename === undefined ? {} : { 'response-content-disposition': attachment(filename) } };
}

export function writeRequest({ bucket, key }: Target): UrlRequest {
  return { kind: 'write', bucket, key, query: {} };
}

export function partRequest({ bucket, key }: Target, uploadId: string, partNumber: number): UrlRequest {
  return { kind: 'part', bucket, key, query: { partNumber: String(partNumber), uploadId } };
}

interface Validity {
  readonly date: Date;
  /** Seconds. */
  readonly expiresIn: number;
}

const methods: Readonly<Record<Kind, string>> = { read: 'GET', write: 'PUT', part: 'PUT' };
/** Templates kept per client: three per bucket. */
const maxTemplates = 3000;

export class UrlSigner {
  readonly #keys = new SigningKeys();
  readonly #templates = new WeakMap<S3Client, Map<string, Promise<UrlTemplate | undefined>>>();

  /**
   * @param client the one whose endpoint the URL shall show.
   * @param expiryMs validity in milliseconds; it ends earlier when the credentials do.
   */
  async preSign(client: S3Client, request: UrlRequest, expiryMs: number): Promise<PreSigned> {
    const validity = { date: new Date(), expiresIn: Math.floor(expiryMs / 1000) };
    const { expiration } = await client.config.credentials();
    const url = await this.sign(client, request, validity);
    // The URL counts from a whole second.
    const end = (Math.floor(validity.date.getTime() / 1000) + validity.expiresIn) * 1000;
    return { url, expiry: new Date(Math.min(end, expiration?.getTime() ?? end)) };
  }

  async sign(client: S3Client, request: UrlRequest, validity: Validity): Promise<string> {
    const template = await this.#template(client, request);
    return template === undefined ? signByLibrary(client, request, validity) : this.#signPlainly(client, template, request, validity);
  }

  async #signPlainly(client: S3Client, template: UrlTemplate, { key, query }: UrlRequest, validity: Validity): Promise<string> {
    const credentials = await client.config.credentials();
    const { accessKeyId, sessionToken } = credentials;
    const url: UrlToSign = { key, query, accessKeyId, sessionToken, ...validity };
    return signUrl(template, url, scope => this.#keys.get(credentials, scope));
  }

  #template(client: S3Client, { bucket, kind }: UrlRequest): Promise<UrlTemplate | undefined> {
    const known = this.#templates.get(client) ?? new Map<string, Promise<UrlTemplate | undefined>>();
    this.#templates.set(client, known);
    const name = `${kind} ${bucket}`;
    const found = known.get(name);
    if (found) return found;
    if (known.size >= maxTemplates) known.clear();
    const learning = this.#learn(client, bucket, kind);
    known.set(name, learning);
    learning.catch(() => known.delete(name));
    return learning;
  }

  /** A template counts when it leads to the very URL it was learned from. */
  async #learn(client: S3Client, bucket: string, kind: Kind): Promise<UrlTemplate | undefined> {
    const example = { bucket, key: 'example' };
    const request =
      kind === 'read' ? readRequest(example, 'example') : kind === 'write' ? writeRequest(example) : partRequest(example, 'example', 1);
    const validity = { date: new Date(), expiresIn: 60 };
    const signed = await signByLibrary(client, request, validity);
    const template = urlTemplate(signed, methods[kind], request);
    if (template === undefined) return undefined;
    const own = await this.#signPlainly(client, template, request, validity);
    return sameUrl(own, signed) ? template : undefined;
  }
}

/** A slow way that knows every kind of bucket: half a millisecond a URL. */
export function signByLibrary(client: S3Client, { kind, bucket, key, query }: UrlRequest, { date, expiresIn }: Validity): Promise<string> {
  const object = { Bucket: bucket, Key: key };
  const options = { signingDate: date, expiresIn };
  if (kind === 'read')
    return getSignedUrl(
      client,
      new GetObjectCommand({ ...object, ResponseContentDisposition: query['response-content-disposition'] }),
      options,
    );
  if (kind === 'write') return getSignedUrl(client, new PutObjectCommand(object), options);
  const part = { UploadId: query['uploadId'], PartNumber: Number(query['partNumber']) };
  return getSignedUrl(client, new UploadPartCommand({ ...object, ...part }), options);
}

/** Whether two URLs differ in nothing but the order of their parameters. */
function sameUrl(a: string, b: string): boolean {
  const parts = (url: string): string => {
    const [address = '', query = ''] = url.split('?');
    return [address, ...query.split('&').sort()].join('&');
  };
  return parts(a) === parts(b);
}
