/** Secrets at rest: salt (8) ‖ nonce (24) ‖ NaCl secretbox, under a key derived from `auth.encrypt.secret_key`. */
import { randomBytes, scrypt } from 'node:crypto';
import { SrvError } from '@srv/kernel';
import nacl from 'tweetnacl';

const saltBytes = 8;
const nonceBytes = nacl.secretbox.nonceLength;
/** Cheap on purpose: the password is a random key, not a person's word. Part of the format. */
const cost = { N: 512, r: 8, p: 1 };

export interface SecretBox {
  seal(secret: string): Promise<Buffer>;
  /** @throws SrvError `corrupt` when the bytes were sealed with another key or damaged. */
  open(sealed: Buffer): Promise<string>;
}

export function createSecretBox(secretKey: string): SecretBox {
  const derive = (salt: Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      scrypt(secretKey, salt, nacl.secretbox.keyLength, cost, (error, key) => (error ? reject(error) : resolve(key)));
    });
  return {
    async seal(secret) {
      const salt = randomBytes(saltBytes);
      const nonce = randomBytes(nonceBytes);
      return Buffer.concat([salt, nonce, nacl.secretbox(Buffer.from(secret, 'utf8'), nonce, await derive(salt))]);
    },
    async open(sealed) {
      const salt = sealed.subarray(0, saltBytes);
      const nonce = sealed.subarray(saltBytes, saltBytes + nonceBytes);
      const box = sealed.subarray(saltBytes + nonceBytes);
      const secret = nonce.length === nonceBytes ? nacl.secretbox.open(box, nonce, await derive(salt)) : null;
      if (secret === null) {
        throw new SrvError('corrupt', 'a stored credential cannot be decrypted: auth.encrypt.secret_key is not the key it was stored with');
      }
      return Buffer.from(secret).toString('utf8');
    },
  };
}
