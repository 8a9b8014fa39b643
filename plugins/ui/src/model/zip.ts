/** Zip archives whose members are stored as they are: headers only, the content stays where it is. APPNOTE 6.3, with zip64. */

export interface ZipMember {
  /** With folders. */
  readonly name: string;
  readonly size: number;
  readonly crc: number;
  /** Where its local header begins. */
  readonly offset: number;
}

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** @param before of what came before; 0 at the beginning. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let c = ~before;
  for (const byte of bytes) c = (table[(c ^ byte) & 0xff] ?? 0) ^ (c >>> 8);
  return ~c >>> 0;
}

const most32 = 0xffffffff;
/** 1 January 1980: archives of the same objects are the same bytes. */
const date = 0x21;
/** Names are UTF-8. */
const utf8 = 0x800;

function writer(size: number) {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  return {
    bytes,
    u16(value: number) {
      view.setUint16(at, value, true);
      at += 2;
      return this;
    },
    u32(value: number) {
      view.setUint32(at, value, true);
      at += 4;
      return this;
    },
    u64(value: number) {
      view.setBigUint64(at, BigInt(value), true);
      at += 8;
      return this;
    },
    text(value: Uint8Array) {
      bytes.set(value, at);
      at += value.length;
      return this;
    },
  };
}

/** What stands before the bytes of a member. Sizes always have their long form. */
export function localHeader({ name, size, crc }: Omit<ZipMember, 'offset'>): Uint8Array<ArrayBuffer> {
  const encoded = new TextEncoder().encode(name);
  return writer(30 + encoded.length + 20)
    .u32(0x04034b50)
    .u16(45)
    .u16(utf8)
    .u16(0)
    .u16(0)
    .u16(date)
    .u32(crc)
    .u32(most32)
    .u32(most32)
    .u16(encoded.length)
    .u16(20)
    .text(encoded)
    .u16(1)
    .u16(16)
    .u64(size)
    .u64(size).bytes;
}

/** What stands after all members. @param offset where it begins. */
export function centralDirectory(members: readonly ZipMember[], offset: number): Uint8Array<ArrayBuffer>[] {
  const entries = members.map(({ name, size, crc, offset: at }) => {
    const encoded = new TextEncoder().encode(name);
    return writer(46 + encoded.length + 28)
      .u32(0x02014b50)
      .u16(45)
      .u16(45)
      .u16(utf8)
      .u16(0)
      .u16(0)
      .u16(date)
      .u32(crc)
      .u32(most32)
      .u32(most32)
      .u16(encoded.length)
      .u16(28)
      .u16(0)
      .u16(0)
      .u16(0)
      .u32(0)
      .u32(most32)
      .text(encoded)
      .u16(1)
      .u16(24)
      .u64(size)
      .u64(size)
      .u64(at).bytes;
  });
  const size = entries.reduce((sum, entry) => sum + entry.length, 0);
  const end = writer(56 + 20 + 22)
    .u32(0x06064b50)
    .u64(44)
    .u16(45)
    .u16(45)
    .u32(0)
    .u32(0)
    .u64(members.length)
    .u64(members.length)
    .u64(size)
    .u64(offset)
    .u32(0x07064b50)
    .u32(0)
    .u64(offset + size)
    .u32(1)
    .u32(0x06054b50)
    .u16(0)
    .u16(0)
    .u16(0xffff)
    .u16(0xffff)
    .u32(most32)
    .u32(most32)
    .u16(0).bytes;
  return [...entries, end];
}
