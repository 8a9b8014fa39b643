/** `crypto/*` and `uuid`. Digests and signatures are bytes, but `crypto/md5`, which is hexadecimal. */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import { LuaError, bytesOfBuffer } from '../lua-value.js';
import type { LuaModules } from '../arguments.js';
import type { Bytes } from '../lua-value.js';

const blockSize = 16;

export const cryptoModules: LuaModules = {
  'crypto/aes': {
    encryptCBC: args => [encrypt(args.buffer(1), args.buffer(2))],
    decryptCBC: args => [decrypt(args.buffer(1), args.buffer(2))],
  },
  'crypto/hmac': {
    sign_sha256: args => [createHmac('sha256', args.buffer(2)).update(args.buffer(1)).digest('binary')],
    sign_sha1: args => [createHmac('sha1', args.buffer(2)).update(args.buffer(1)).digest('binary')],
  },
  'crypto/sha256': { digest: args => [createHash('sha256').update(args.buffer(1)).digest('binary')] },
  'crypto/md5': { digest: args => [createHash('md5').update(args.buffer(1)).digest('hex')] },
  uuid: { new: () => [randomUUID()] },
};

/** The initialisation vector, then the text padded to whole blocks. */
function encrypt(key: Buffer, text: Buffer): Bytes {
  const vector = randomBytes(blockSize);
  const cipher = createCipheriv(cipherOf(key), key, vector);
  return bytesOfBuffer(Buffer.concat([vector, cipher.update(text), cipher.final()]));
}

function decrypt(key: Buffer, data: Buffer): Bytes {
  if (data.length < 2 * blockSize || data.length % blockSize !== 0) throw new LuaError('ciphertext is not a multiple of the block size');
  const decipher = createDecipheriv(cipherOf(key), key, data.subarray(0, blockSize));
  try {
    return bytesOfBuffer(Buffer.concat([decipher.update(data.subarray(blockSize)), decipher.final()]));
  } catch {
    throw new LuaError('the data was not encrypted with this key, or is damaged');
  }
}

function cipherOf({ length }: Buffer): string {
  if (![16, 24, 32].includes(length)) throw new LuaError(`invalid key size ${length}: an AES key has 16, 24 or 32 bytes`);
  return `aes-${length * 8}-cbc`;
}
