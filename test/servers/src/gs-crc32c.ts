/** CRC-32 with the Castagnoli polynomial, which Google Cloud Storage answers with every upload. */

const reversedPolynomial = 0x82f63b78;

/** Eight tables, so that eight bytes are taken at a time. */
const tables = Array.from({ length: 8 }, () => new Uint32Array(256));
for (let byte = 0; byte < 256; byte++) {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ reversedPolynomial : value >>> 1;
  entry(0)[byte] = value >>> 0;
}
for (let table = 1; table < 8; table++)
  for (let byte = 0; byte < 256; byte++) {
    const before = entry(table - 1)[byte] ?? 0;
    entry(table)[byte] = ((before >>> 8) ^ (entry(0)[before & 0xff] ?? 0)) >>> 0;
  }

function entry(table: number): Uint32Array {
  return tables[table] ?? new Uint32Array(256);
}

export class Crc32c {
  #crc = 0xffffffff;

  update(bytes: Buffer): this {
    const [t0, t1, t2, t3, t4, t5, t6, t7] = [0, 1, 2, 3, 4, 5, 6, 7].map(entry) as [
      Uint32Array,
      Uint32Array,
      Uint32Array,
      Uint32Array,
      Uint32Array,
      Uint32Array,
      Uint32Array,
      Uint32Array,
    ];
    let crc = this.#crc;
    let at = 0;
    for (; at + 8 <= bytes.length; at += 8) {
      const low = (crc ^ bytes.readUInt32LE(at)) >>> 0;
      const high = bytes.readUInt32LE(at + 4);
      crc =
        Number(t7[low & 0xff]) ^
        Number(t6[(low >>> 8) & 0xff]) ^
        Number(t5[(low >>> 16) & 0xff]) ^
        Number(t4[low >>> 24]) ^
        Number(t3[high & 0xff]) ^
        Number(t2[(high >>> 8) & 0xff]) ^
        Number(t1[(high >>> 16) & 0xff]) ^
        Number(t0[high >>> 24]);
    }
    for (; at < bytes.length; at++) crc = (crc >>> 8) ^ Number(t0[(crc ^ Number(bytes[at])) & 0xff]);
    this.#crc = crc >>> 0;
    return this;
  }

  /** Big-endian, as the service writes it. */
  digest(encoding: 'base64' | 'hex'): string {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE((this.#crc ^ 0xffffffff) >>> 0);
    return bytes.toString(encoding);
  }
}
