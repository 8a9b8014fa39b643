/** Random secrets of a new installation. */
import { randomBytes, randomInt } from 'node:crypto';

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export interface KeyPair {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Well-known key pair of `--quickstart`: tutorials and SDK examples carry it. */
export const quickstartKeyPair: KeyPair = {
  accessKeyId: 'AKIAIOSFOLQUICKSTART',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

/** `AKIAJ`, 14 random characters, `Q`; the secret is 30 random bytes in base64 (40 characters). */
export function generateKeyPair(): KeyPair {
  const middle = Array.from({ length: 14 }, () => base32.charAt(randomInt(base32.length))).join('');
  return { accessKeyId: `AKIAJ${middle}Q`, secretAccessKey: randomBytes(30).toString('base64') };
}

/** 32 random bytes in base64. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64');
}
