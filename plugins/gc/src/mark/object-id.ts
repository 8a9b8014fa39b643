/**
 * Objects by the two ids in their name, `<partition>/<id>`: 24 bytes that sort as names do. Whatever follows, a signature or
 * the number of a part, belongs to the same object; whatever precedes, a shard or another spelling of the namespace, too.
 */
import { xidSeconds } from '@srv/lib-records/xid';

export const idBytes = 24;
const halfBytes = 12;
const halfChars = 20;
/** Where the name of an object in the data folder begins. */
const dataFolder = 'data/';

const digits = new Int8Array(256).fill(-1);
for (const [i, char] of [...'0123456789abcdefghijklmnopqrstuv'].entries()) digits[char.charCodeAt(0)] = i;

const plainChars = dataFolder.length + 2 * halfChars + 1;
const scratch = Buffer.alloc(plainChars);
const packedScratch = Buffer.alloc(idBytes);
/** What the last character of an id can be: it carries one bit. */
const lastChars = '0g';

/** As {@link objectOf}, for listings of millions: keys without anything before or after the two ids take a short way. */
export function objectAt(key: string): string | undefined {
  const isPlain =
    key.length === plainChars &&
    lastChars.includes(key.charAt(dataFolder.length + halfChars - 1)) &&
    lastChars.includes(key.charAt(plainChars - 1)) &&
    scratch.write(key, 'latin1') === plainChars &&
    packPlain(packedScratch, 0, scratch);
  return isPlain ? packedScratch.toString('latin1') : objectOf(key);
}

/** When an object was named, in Unix seconds. @param id 24 bytes as latin1. */
export function secondsOf(id: string): number {
  let seconds = 0;
  for (let i = halfBytes; i < halfBytes + 4; i++) seconds = seconds * 256 + id.charCodeAt(i);
  return seconds;
}

/** The object a key below the namespace belongs to; `undefined` for a key that no object of this product has. */
export function objectOf(key: string): string | undefined {
  const match = /^data\/(?:[^/]+\/)*?([0-9a-v]{20})\/([0-9a-v]{20})(?![0-9A-Za-z/])[^/]*$/.exec(key);
  if (!match || !key.startsWith(dataFolder)) return undefined;
  const [, partition = '', id = ''] = match;
  return xidSeconds(partition) === undefined || xidSeconds(id) === undefined ? undefined : packed(partition) + packed(id);
}

/** When the object of a key was named, in Unix seconds. */
export function namedAt(key: string): number | undefined {
  const [, id = ''] = /\/[0-9a-v]{20}\/([0-9a-v]{20})[^/]*$/.exec(key) ?? [];
  return xidSeconds(id);
}

/**
 * Objects that a text may name: an address however it is spelled, or any stored record. Too many do no harm, as they only
 * stay.
 */
export function objectsIn(text: string): string[] {
  const found = new Set<string>();
  for (const spelling of spellings(text))
    for (const [, partition = '', id = ''] of spelling.matchAll(/(?<![0-9a-v])(?=([0-9a-v]{20})\/+([0-9a-v]{20}))/g))
      found.add(packed(partition) + packed(id));
  return [...found];
}

/** The text, decoded as often as it can be, and in lower case. */
function spellings(text: string): string[] {
  const all = [text];
  for (let i = 0; i < 3; i++) {
    const last = all.at(-1) ?? '';
    if (!last.includes('%')) break;
    try {
      all.push(decodeURIComponent(last));
    } catch {
      break;
    }
  }
  const lower = all.map(spelling => spelling.toLowerCase());
  return [...new Set([...all, ...lower])];
}

/** 20 characters as 12 bytes. */
function packed(chars: string): string {
  const bytes = Buffer.allocUnsafe(halfBytes);
  packInto(bytes, 0, Buffer.from(chars, 'latin1'), 0);
  return bytes.toString('latin1');
}

/**
 * Packs `data/<partition>/<id>…` at the beginning of `address`; false when it begins otherwise. For the loop over millions
 * of entries: it makes nothing.
 */
export function packPlain(into: Buffer, at: number, address: Buffer): boolean {
  const begin = dataFolder.length;
  if (address.length < begin + 2 * halfChars + 1 || address[begin + halfChars] !== 0x2f) return false;
  if (address[0] !== 0x64 || address[1] !== 0x61 || address[2] !== 0x74 || address[3] !== 0x61 || address[4] !== 0x2f) return false;
  return packInto(into, at, address, begin) && packInto(into, at + halfBytes, address, begin + halfChars + 1);
}

function packInto(into: Buffer, at: number, chars: Buffer, from: number): boolean {
  let bits = 0;
  let count = 0;
  let out = at;
  for (let i = 0; i < halfChars; i++) {
    const digit = digits[chars[from + i] ?? 0] ?? -1;
    if (digit < 0) return false;
    bits = ((bits << 5) | digit) & 0xfff;
    count += 5;
    if (count >= 8 && out < at + halfBytes) {
      count -= 8;
      into[out++] = (bits >> count) & 0xff;
    }
  }
  return true;
}
