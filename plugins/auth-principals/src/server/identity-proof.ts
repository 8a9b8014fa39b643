/** A signed request to STS that its signer sends in pieces: a signer for whom STS answers it has the identity that STS returns. */
import { SrvError } from '@srv/kernel';
import Joi from 'joi';

export interface IdentityProof {
  readonly host: string;
  readonly region: string;
  /** `20240501T120000Z`. */
  readonly date: string;
  /** Seconds from `date`. */
  readonly expiration: number;
  readonly accessKeyId: string;
  readonly signature: string;
  /** Lower-case names. */
  readonly signedHeaders: readonly string[];
  readonly securityToken: string;
}

/** Signed by the caller with the host name of the server it means: a proof for one server is worth nothing at another. */
export const serverIdHeader = 'x-lakefs-server-id';

/** Seconds a proof may be valid, and may come from the future. */
const longestValidity = 15 * 60;
const clockSkew = 5 * 60;
const longestToken = 16 * 1024;

interface Pieces {
  readonly method: string;
  readonly action: string;
  readonly version: string;
  readonly algorithm: string;
  readonly host: string;
  readonly region: string;
  readonly date: string;
  readonly expiration_duration: string;
  readonly access_key_id: string;
  readonly signature: string;
  readonly signed_headers: readonly string[];
  readonly security_token: string;
}

const pieces = Joi.object<Pieces>({
  method: Joi.string().valid('POST').required(),
  // Hosts outside AWS are never asked.
  host: Joi.string()
    .pattern(/^sts(\.[a-z0-9-]+)?\.amazonaws\.com(\.cn)?$/)
    .required(),
  region: Joi.string()
    .pattern(/^[a-z0-9-]{1,40}$/)
    .required(),
  action: Joi.string().valid('GetCallerIdentity').required(),
  version: Joi.string().valid('2011-06-15').required(),
  algorithm: Joi.string().valid('AWS4-HMAC-SHA256').required(),
  date: Joi.string()
    .pattern(/^\d{8}T\d{6}Z$/)
    .required(),
  expiration_duration: Joi.string()
    .pattern(/^\d{1,6}$/)
    .required(),
  access_key_id: Joi.string()
    .pattern(/^[A-Za-z0-9]{4,128}$/)
    .required(),
  signature: Joi.string()
    .pattern(/^[0-9a-f]{64}$/)
    .required(),
  signed_headers: Joi.array()
    .items(Joi.string().pattern(/^[A-Za-z0-9-]{1,64}$/))
    .max(10)
    .required(),
  security_token: Joi.string().allow('', null).empty(null).default(''),
})
  .unknown(true)
  .required();

const malformed = (): SrvError => new SrvError('unauthenticated', 'invalid token format');

/** @throws SrvError `unauthenticated` for an invalid proof; `forbidden` for an expired one. */
export function readProof({ identity_token: token }: Readonly<Record<string, unknown>>, now: Date): IdentityProof {
  if (typeof token !== 'string' || token.length > longestToken) throw malformed();
  const { error, value } = pieces.validate(parse(token), { convert: false });
  if (error || !value) throw malformed();
  const signedHeaders = value.signed_headers.map(name => name.toLowerCase());
  // Headers whose values are not known here cannot be sent again.
  const known = ['host', serverIdHeader];
  if (!known.every(name => signedHeaders.includes(name)) || signedHeaders.length !== known.length) throw malformed();
  const expiration = Number(value.expiration_duration);
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(value.date) ?? [];
  const signedAt = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`) / 1000;
  const seconds = now.getTime() / 1000;
  if (Number.isNaN(signedAt) || expiration < 1 || expiration > longestValidity || signedAt > seconds + clockSkew) throw malformed();
  if (signedAt + expiration <= seconds) throw new SrvError('forbidden', 'session expired');
  const { host, region, date, access_key_id: accessKeyId, signature, security_token: securityToken } = value;
  return { host, region, date, expiration, accessKeyId, signature, signedHeaders, securityToken };
}

/** The query of the request that was signed. */
export function queryOf({ date, region, accessKeyId, expiration, securityToken, signedHeaders, signature }: IdentityProof): string {
  const query = {
    Action: 'GetCallerIdentity',
    Version: '2011-06-15',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${date.slice(0, 8)}/${region}/sts/aws4_request`,
    'X-Amz-Date': date,
    'X-Amz-Expires': String(expiration),
    ...(securityToken === '' ? {} : { 'X-Amz-Security-Token': securityToken }),
    'X-Amz-SignedHeaders': signedHeaders.toSorted().join(';'),
    'X-Amz-Signature': signature,
  };
  return Object.entries(query)
    .map(
      ([name, value]) =>
        `${name}=${encodeURIComponent(value).replaceAll(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`,
    )
    .join('&');
}

function parse(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}
