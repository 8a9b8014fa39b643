/** Records in one transferable buffer: `u32 key length | u32 value length, or 0xffffffff for none | key | value`, repeated. */

const none = 0xffffffff;
const header = 8;

interface Packable {
  readonly key: Buffer;
  readonly value: Buffer | undefined;
}

/** Copies records into a buffer of their own, to be transferred. */
export function pack(items: readonly Packable[]): ArrayBuffer {
  let size = 0;
  for (const { key, value } of items) size += header + key.length + (value?.length ?? 0);
  const packed = new ArrayBuffer(size);
  const bytes = Buffer.from(packed);
  let at = 0;
  for (const { key, value } of items) {
    bytes.writeUInt32LE(key.length, at);
    bytes.writeUInt32LE(value === undefined ? none : value.length, at + 4);
    at += header;
    at += key.copy(bytes, at);
    if (value !== undefined) at += value.copy(bytes, at);
  }
  return packed;
}

/** Views into a packed buffer. */
export function unpack(packed: ArrayBuffer): Packable[] {
  const bytes = Buffer.from(packed);
  const items: Packable[] = [];
  for (let at = 0; at < bytes.length; ) {
    const keyLength = bytes.readUInt32LE(at);
    const valueLength = bytes.readUInt32LE(at + 4);
    at += header;
    const key = bytes.subarray(at, at + keyLength);
    at += keyLength;
    if (valueLength === none) {
      items.push({ key, value: undefined });
      continue;
    }
    items.push({ key, value: bytes.subarray(at, at + valueLength) });
    at += valueLength;
  }
  return items;
}
