/**
 * What URLs of one bucket and one kind of request have in common: host, beginning of the path, fixed parameters. It is
 * learned from a URL that the client library signs, as the library knows the rules for regions, endpoints and names of
 * buckets; each further URL then costs one hash and one HMAC.
 */
import { createHash, createHmac } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { Scope } from './signing-key.js';

export interface UrlTemplate {
  /** `https://host` */
  readonly origin: string;
  readonly host: string;
  readonly method: string;
  /** Up to the key. */
  readonly path: string;
  /** Parameters that every URL of the kind has. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly region: string;
  readonly service: string;
}

export interface UrlToSign {
  readonly key: string;
  /** Parameters of this URL. */
  readonly query: Readonly<Record<string, string>>;
  readonly accessKeyId: string;
  readonly sessionToken?: string | undefined;
  readonly date: Date;
  /** Seconds. */
  readonly expiresIn: number;
}

const algorithm = 'AWS4-HMAC-SHA256';
/** Parameters that differ from URL to URL. */
const varying = new Set(['X-Amz-Credential', 'X-Amz-Date', 'X-Amz-Expires', 'X-Amz-Signature', 'X-Amz-Security-Token', 'X-Amz-Algorithm']);

/**
 * @param signed a URL for the object `key` with the parameters `query`, signed by the library.
 * @returns `undefined` for a URL that is signed in another way, such as those of multi-region access points.
 */
export function urlTemplate(signed: string, method: string, { key, query }: Pick<UrlToSign, 'key' | 'query'>): UrlTemplate | undefined {
  const { origin, host, pathname, searchParams } = new URL(signed);
  const [, , region, service] = searchParams.get('X-Amz-Credential')?.split('/') ?? [];
  if (searchParams.get('X-Amz-Algorithm') !== algorithm || searchParams.get('X-Amz-SignedHeaders') !== 'host') return undefined;
  if (region === undefined || service === undefined || !pathname.endsWith(`/${key}`)) return undefined;
  const fixed = [...searchParams].filter(([name]) => !varying.has(name) && !(name in query));
  return { origin, host, method, path: pathname.slice(0, -key.length), fixed: Object.fromEntries(fixed), region, service };
}

/** @param signingKey for the scope of the template's region and the date's day. */
export function signUrl(template: UrlTemplate, url: UrlToSign, signingKey: (scope: Scope) => KeyObject): string {
  const { origin, host, method, fixed, region, service } = template;
  const time = `${url.date.toISOString().replaceAll(/[-:]/g, '').slice(0, 15)}Z`;
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const path = template.path + url.key.split('/').map(encode).join('/');
  const query = canonicalQuery({
    ...fixed,
    ...url.query,
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${url.accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(url.expiresIn),
    ...(url.sessionToken === undefined ? {} : { 'X-Amz-Security-Token': url.sessionToken }),
  });
  const request = `${method}\n${path}\n${query}\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`;
  const text = `${algorithm}\n${time}\n${scope}\n${createHash('sha256').update(request).digest('hex')}`;
  const signature = createHmac('sha256', signingKey({ day, region, service })).update(text).digest('hex');
  return `${origin}${path}?${query}&X-Amz-Signature=${signature}`;
}

function canonicalQuery(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
