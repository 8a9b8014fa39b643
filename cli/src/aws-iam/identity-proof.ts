/** A request to STS, signed but not sent: its pieces prove to the server who signed it. */
import { createHash, createHmac } from 'node:crypto';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

interface ProofOptions {
  readonly credentials: AwsCredentials;
  /** Absent: the global endpoint. */
  readonly region?: string | undefined;
  /** Seconds. */
  readonly validity: number;
  /** Signed, and not sent: the server knows their values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly now: Date;
}

const algorithm = 'AWS4-HMAC-SHA256';
const action = 'GetCallerIdentity';
const version = '2011-06-15';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** What `identity_token` holds, in Base64. */
export function identityToken({ credentials, region, validity, headers, now }: ProofOptions): string {
  const host = region === undefined ? 'sts.amazonaws.com' : `sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const signingRegion = region ?? 'us-east-1';
  const date = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const scope = `${date.slice(0, 8)}/${signingRegion}/sts/aws4_request`;
  const signed = new Map(
    Object.entries({ ...headers, host }).map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/ +/g, ' ')]),
  );
  const names = [...signed.keys()].toSorted();
  const query: Record<string, string> = {
    Action: action,
    Version: version,
    'X-Amz-Algorithm': algorithm,
    'X-Amz-Credential': `${credentials.accessKeyId}/${scope}`,
    'X-Amz-Date': date,
    'X-Amz-Expires': String(validity),
    'X-Amz-SignedHeaders': names.join(';'),
    ...(credentials.sessionToken ? { 'X-Amz-Security-Token': credentials.sessionToken } : {}),
  };
  const canonical = [
    'POST',
    '/',
    Object.keys(query)
      .toSorted()
      .map(name => `${encode(name)}=${encode(query[name] ?? '')}`)
      .join('&'),
    ...names.map(name => `${name}:${signed.get(name) ?? ''}`),
    '',
    names.join(';'),
    sha256(''),
  ].join('\n');
  const toSign = [algorithm, date, scope, sha256(canonical)].join('\n');
  const key = [date.slice(0, 8), signingRegion, 'sts', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`);
  const pieces = {
    method: 'POST',
    host,
    region: signingRegion,
    action,
    date,
    expiration_duration: String(validity),
    access_key_id: credentials.accessKeyId,
    signature: hmac(key, toSign).toString('hex'),
    signed_headers: names,
    version,
    algorithm,
    security_token: credentials.sessionToken ?? '',
  };
  return Buffer.from(JSON.stringify(pieces), 'utf8').toString('base64');
}

/** As signatures want it: everything but unreserved characters. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
