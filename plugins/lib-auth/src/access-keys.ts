/** Access key pairs. Clients check their shape. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { AccessKey } from '@srv/kernel';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** `AKIAJ`, 14 characters, `Q`; and 30 random bytes in base64. */
export function generateAccessKey(): AccessKey {
  const middle = [...randomBytes(14)].map(byte => alphabet[byte % alphabet.length]).join('');
  return { accessKeyId: `AKIAJ${middle}Q`, secretAccessKey: randomBytes(30).toString('base64') };
}

/** Takes the same time wherever the texts differ; it may reveal their lengths, which are not secret. */
export function equalSecrets(a: string, b: string): boolean {
  const [known, given] = [Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8')];
  return timingSafeEqual(known, known.length === given.length ? given : Buffer.alloc(known.length)) && known.length === given.length;
}
