/** Z85, the alphabet in which Delta tables write the ids of deletion vectors: five characters for four bytes. */
import { LuaError } from '../lua-value.js';
import type { Bytes } from '../lua-value.js';

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#';
/** Characters of a UUID. */
const uuidLength = 20;

/** @returns the UUID in the last 20 characters, and what stands before. */
export function decodeUuid(text: Bytes): readonly [uuid: string, prefix: string] {
  if (text.length < uuidLength) throw new LuaError(`invalid UUID in Z85: ${JSON.stringify(text)} is shorter than ${uuidLength} characters`);
  const prefix = text.slice(0, -uuidLength);
  const bytes = Buffer.alloc(16);
  for (let group = 0; group < 4; group++) {
    let value = 0;
    for (const character of text.slice(prefix.length + group * 5, prefix.length + group * 5 + 5)) {
      const digit = alphabet.indexOf(character);
      if (digit < 0) throw new LuaError(`invalid UUID in Z85: ${JSON.stringify(character)} is not a digit of it`);
      value = value * 85 + digit;
    }
    if (value >= 2 ** 32) throw new LuaError(`invalid UUID in Z85: ${JSON.stringify(text)}`);
    bytes.writeUInt32BE(value, group * 4);
  }
  const hex = bytes.toString('hex');
  return [[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-'), prefix];
}
