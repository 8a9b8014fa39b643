/** Access key pairs. Clients check their shape. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AccessKey } from '../contract.js';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** `AKIAJ`, 14 characters, `Q`; and 30 random bytes in base64. */
export function generateAccessKey(): AccessKey {
  const middle = [...randomBytes(14)].map(byte => alphabet[byte % alphabet.length]).join('');
  return { accessKeyId: `AKIAJ${middle}Q`, secretAccessKey: randomBytes(30).toString('base64') };
}

/** Takes the same time wherever the texts differ, and whatever their lengths. */
export function equalSecrets(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(a), digest(b));
}
