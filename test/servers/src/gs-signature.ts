/** URLs signed with version 4 by a service account. */
import { createHash, createVerify } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** What is wrong with a signed request, as the service's error code. @param publicKey PEM. @param now milliseconds. */
export function checkSignature(
  { method = 'GET', url = '/', headers }: IncomingMessage,
  publicKey: string,
  now: number,
): string | undefined {
  const [path = '', query = ''] = url.split('?');
  const pairs = query.split('&').filter(pair => pair !== '');
  const values = new URLSearchParams(query);
  const [signature, date, expires, signed] = ['X-Goog-Signature', 'X-Goog-Date', 'X-Goog-Expires', 'X-Goog-SignedHeaders'].map(name =>
    values.get(name),
  );
  if (!signature || !date || !expires || signed === null || signed === undefined) return 'AccessDenied';
  const canonicalQuery = pairs
    .filter(pair => !pair.startsWith('X-Goog-Signature='))
    .sort()
    .join('&');
  // The client signs the host without its port, as the service has none.
  const sent: Readonly<Record<string, unknown>> = { ...headers, host: headers.host?.replace(/:\d+$/, '') };
  const canonicalHeaders = signed.split(';').map(name => `${name}:${String(sent[name] ?? '')}\n`);
  const canonical = [method, path, canonicalQuery, canonicalHeaders.join(''), signed, 'UNSIGNED-PAYLOAD'].join('\n');
  const hash = createHash('sha256').update(canonical).digest('hex');
  const scope = `${date.slice(0, 8)}/auto/storage/goog4_request`;
  const text = ['GOOG4-RSA-SHA256', date, scope, hash].join('\n');
  if (!createVerify('RSA-SHA256').update(text).verify(publicKey, Buffer.from(signature, 'hex'))) return 'SignatureDoesNotMatch';
  const begun = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  return now > begun + Number(expires) * 1000 ? 'ExpiredToken' : undefined;
}
