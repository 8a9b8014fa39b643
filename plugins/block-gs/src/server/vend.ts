/** Access tokens that are limited to what lies below one prefix: an exchange at the security token service of Google. */
import { SrvError, messageOf } from '@srv/kernel';
import { CredentialsFailure } from './errors.js';
import type { BucketKey, VendRequest, VendedCredentials } from '@srv/lib-stores/block';

interface SourceToken {
  readonly token: string;
  readonly expiry: Date;
}

export interface DownscopeOptions {
  /** A token of the identity of the server. */
  readonly source: () => Promise<SourceToken>;
  /** Default: that of Google. */
  readonly tokenUrl?: string;
}

const serviceUrl = 'https://sts.googleapis.com/v1/token';
const accessToken = 'urn:ietf:params:oauth:token-type:access_token';
const timeoutMs = 30_000;
/** Objects are read and listed; new ones are created, and none is replaced or deleted. */
const [reads, writes] = [['inRole:roles/storage.objectViewer'], ['inRole:roles/storage.objectCreator']];

/** It lasts as long as the token of the server, an hour at most. */
export async function downscopedToken(place: BucketKey, request: VendRequest, options: DownscopeOptions): Promise<VendedCredentials> {
  const { source, tokenUrl = serviceUrl } = options;
  const { token, expiry } = await source();
  const form = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: accessToken,
    requested_token_type: accessToken,
    subject_token: token,
    options: JSON.stringify({ accessBoundary: { accessBoundaryRules: [rule(place, request.mayWrite)] } }),
  });
  const answer = await send(tokenUrl, form);
  if (typeof answer.access_token !== 'string') throw new CredentialsFailure('the token service gave no token');
  const given = typeof answer.expires_in === 'number' ? Date.now() + answer.expires_in * 1000 : expiry.getTime();
  return { kind: 'gs', token: answer.access_token, expiry: new Date(Math.min(given, expiry.getTime())) };
}

interface TokenAnswer {
  readonly access_token?: unknown;
  /** Seconds. */
  readonly expires_in?: unknown;
}

async function send(url: string, form: URLSearchParams): Promise<TokenAnswer> {
  let status: number;
  let text: string;
  try {
    const answer = await fetch(url, { method: 'POST', body: form, signal: AbortSignal.timeout(timeoutMs) });
    [status, text] = [answer.status, await answer.text()];
  } catch (error) {
    throw new SrvError('unavailable', `${url} does not answer: ${messageOf(error)}`, { cause: error });
  }
  if (status !== 200) throw new CredentialsFailure(`the token service refuses (${status}): ${text.slice(0, 300)}`);
  try {
    return JSON.parse(text) as TokenAnswer;
  } catch {
    throw new CredentialsFailure('the answer of the token service is not JSON');
  }
}

/** @param key a prefix that ends in a slash. */
function rule({ bucket, key }: BucketKey, mayWrite: boolean): object {
  const resource = `projects/_/buckets/${bucket}`;
  const isInside = `resource.name.startsWith(${quoted(`${resource}/objects/${key}`)})`;
  const isListedInside = `api.getAttribute('storage.googleapis.com/objectListPrefix', '').startsWith(${quoted(key)})`;
  return {
    availableResource: `//storage.googleapis.com/${resource}`,
    availablePermissions: mayWrite ? [...reads, ...writes] : reads,
    availabilityCondition: { expression: `${isInside} || ${isListedInside}` },
  };
}

/** A text of the expression language. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, character => `\\${character}`)}'`;
}
