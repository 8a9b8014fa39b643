/** How receivers know that a request is from this server. */
import { createHmac } from 'node:crypto';

/** Header of the signature of the body: `sha256=<hexadecimal HMAC>`. */
export const signatureHeader = 'X-Srv-Signature';

/** @returns the value of {@link signatureHeader}. */
export function signatureOf(body: string, key: string): string {
  return `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
}
