/** Cyclic redundancy checks by tables of eight bytes at a time (reflected polynomials). */

/** Running state of a CRC; `digest` gives its big-endian bytes. */
export interface RunningDigest {
  update(bytes: Buffer): void;
  digest(): Buffer;
}

const castagnoli = 0x82f63b78;
/** CRC-64/NVME, reflected: 0x9a6c9329ac4bc9b5 in halves. */
const nvme = { low: 0xac4bc9b5, high: 0x9a6c9329 };
const slices = 8;

let tables32: readonly Int32Array[] | undefined;
let tables64: { readonly low: readonly Int32Array[]; readonly high: readonly Int32Array[] } | undefined;

function makeTables32(polynomial: number): Int32Array[] {
  const tables = Array.from({ length: slices }, () => new Int32Array(256));
  for (let byte = 0; byte < 256; byte++) {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
    tables[0][byte] = value;
  }
  for (let slice = 1; slice < slices; slice++)
    for (let byte = 0; byte < 256; byte++) {
      const before = tables[slice - 1][byte];
      tables[slice][byte] = (before >>> 8) ^ tables[0][before & 0xff];
    }
  return tables;
}

function makeTables64(): { low: Int32Array[]; high: Int32Array[] } {
  const make = () => Array.from({ length: slices }, () => new Int32Array(256));
  const [low, high] = [make(), make()];
  for (let byte = 0; byte < 256; byte++) {
    let l = byte;
    let h = 0;
    for (let bit = 0; bit < 8; bit++) {
      const odd = l & 1;
      l = (l >>> 1) | (h << 31);
      h = h >>> 1;
      if (odd) {
        l ^= nvme.low;
        h ^= nvme.high;
      }
    }
    low[0][byte] = l;
    high[0][byte] = h;
  }
  for (let slice = 1; slice < slices; slice++)
    for (let byte = 0; byte < 256; byte++) {
      const [l, h] = [low[slice - 1][byte], high[slice - 1][byte]];
      low[slice][byte] = ((l >>> 8) | (h << 24)) ^ low[0][l & 0xff];
      high[slice][byte] = (h >>> 8) ^ high[0][l & 0xff];
    }
  return { low, high };
}

/** CRC-32C (Castagnoli). */
export function crc32c(): RunningDigest {
  tables32 ??= makeTables32(castagnoli);
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables32;
  let crc = -1;
  return {
    update(bytes) {
      let at = 0;
      for (const end = bytes.length - 7; at < end; at += 8) {
        const low = crc ^ bytes.readInt32LE(at);
        const high = bytes.readInt32LE(at + 4);
        crc =
          t7[low & 0xff] ^
          t6[(low >>> 8) & 0xff] ^
          t5[(low >>> 16) & 0xff] ^
          t4[low >>> 24] ^
          t3[high & 0xff] ^
          t2[(high >>> 8) & 0xff] ^
          t1[(high >>> 16) & 0xff] ^
          t0[high >>> 24];
      }
      for (; at < bytes.length; at++) crc = (crc >>> 8) ^ t0[(crc ^ bytes[at]) & 0xff];
    },
    digest() {
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(~crc);
      return bytes;
    },
  };
}

/** CRC-64/NVME. */
export function crc64nvme(): RunningDigest {
  tables64 ??= makeTables64();
  const { low: lows, high: highs } = tables64;
  let low = -1;
  let high = -1;
  return {
    update(bytes) {
      let at = 0;
      for (const end = bytes.length - 7; at < end; at += 8) {
        const a = low ^ bytes.readInt32LE(at);
        const b = high ^ bytes.readInt32LE(at + 4);
        const [i7, i6, i5, i4] = [a & 0xff, (a >>> 8) & 0xff, (a >>> 16) & 0xff, a >>> 24];
        const [i3, i2, i1, i0] = [b & 0xff, (b >>> 8) & 0xff, (b >>> 16) & 0xff, b >>> 24];
        low = lows[7][i7] ^ lows[6][i6] ^ lows[5][i5] ^ lows[4][i4] ^ lows[3][i3] ^ lows[2][i2] ^ lows[1][i1] ^ lows[0][i0];
        high = highs[7][i7] ^ highs[6][i6] ^ highs[5][i5] ^ highs[4][i4] ^ highs[3][i3] ^ highs[2][i2] ^ highs[1][i1] ^ highs[0][i0];
      }
      for (; at < bytes.length; at++) {
        const index = (low ^ bytes[at]) & 0xff;
        low = ((low >>> 8) | (high << 24)) ^ lows[0][index];
        high = (high >>> 8) ^ highs[0][index];
      }
    },
    digest() {
      const bytes = Buffer.alloc(8);
      bytes.writeInt32BE(~high, 0);
      bytes.writeInt32BE(~low, 4);
      return bytes;
    },
  };
}
