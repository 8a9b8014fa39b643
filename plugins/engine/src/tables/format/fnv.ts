/** FNV-1a, 64 bits, reduced: what decides where ranges end (format.md section 9). */

const prime = { high: 0x100, low: 0x1b3 };

/**
 * FNV-1a 64 of `key` modulo `modulus` (1 to 2^26), without big integers: this runs once per record written.
 */
export function fnv1a64Mod(key: Uint8Array, modulus: number): number {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let i = 0; i < key.length; i++) {
    low = (low ^ (key[i] ?? 0)) >>> 0;
    // (high, low) * prime, where prime = 2^40 + 0x1b3
    const lowProduct = low * prime.low;
    const carry = Math.floor(lowProduct / 0x1_0000_0000);
    high = (Math.imul(high, prime.low) + carry + Math.imul(low, prime.high)) >>> 0;
    low = lowProduct >>> 0;
  }
  return ((high % modulus) * (0x1_0000_0000 % modulus) + (low % modulus)) % modulus;
}

/** The full 64-bit hash. */
export function fnv1a64(key: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of key) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}
