/** Checksums of objects that were uploaded in parts, from those of the parts. */
import { Pace, SrvError } from '@srv/kernel';
import { isChecksumHeader, startChecksum } from './checksum.js';
import type { ChecksumType, StoredChecksum } from '../protocol/stored-checksum.js';

/** Polynomials of what can be joined, reflected, and their width in bits. */
const polynomials: Readonly<Record<string, { readonly bits: number; readonly polynomial: bigint }>> = {
  crc32: { bits: 32, polynomial: 0xedb88320n },
  crc32c: { bits: 32, polynomial: 0x82f63b78n },
  crc64nvme: { bits: 64, polynomial: 0x9a6c9329ac4bc9b5n },
};

interface PartChecksum {
  /** Base64. */
  readonly value: string;
  /** Bytes. */
  readonly size: number;
}

/** How checksums of `algorithm` may be joined; the first is the default. Empty: the algorithm is not known. */
export function joinableAs(algorithm: string): readonly ChecksumType[] {
  if (!isChecksumHeader(`x-amz-checksum-${algorithm}`)) return [];
  if (algorithm === 'crc64nvme') return ['FULL_OBJECT'];
  return algorithm in polynomials ? ['COMPOSITE', 'FULL_OBJECT'] : ['COMPOSITE'];
}

/** The checksum of the whole, or over the checksums of the parts. @param type one of {@link joinableAs}. */
export async function joinChecksums(algorithm: string, type: ChecksumType, parts: readonly PartChecksum[]): Promise<StoredChecksum> {
  if (type === 'COMPOSITE') {
    const digest = startChecksum(`x-amz-checksum-${algorithm}`);
    for (const { value } of parts) digest.update(Buffer.from(value, 'base64'));
    return { algorithm, type, value: `${digest.digest().toString('base64')}-${parts.length}` };
  }
  return { algorithm, type, value: await joinCyclic(algorithm, parts) };
}

/** Shifting a remainder by the length of what follows and adding the remainder of that gives the remainder of both. */
async function joinCyclic(algorithm: string, parts: readonly PartChecksum[]): Promise<string> {
  const polynomial = polynomials[algorithm];
  if (!polynomial) throw new SrvError('internal', `checksums of ${algorithm} cannot be joined`);
  const field = new ReflectedField(polynomial);
  // Parts but the last are usually of one size.
  const shifts = new Map<number, bigint>();
  const shiftBy = (size: number): bigint => {
    const shift = shifts.get(size) ?? field.powerOfX(BigInt(size) * 8n);
    shifts.set(size, shift);
    return shift;
  };
  const pace = new Pace();
  let joined = 0n;
  for (const { value, size } of parts) {
    joined = field.multiply(shiftBy(size), joined) ^ numberOf(value);
    await pace.rest();
  }
  return Buffer.from(joined.toString(16).padStart(field.bits / 4, '0'), 'hex').toString('base64');
}

function numberOf(base64: string): bigint {
  return BigInt(`0x${Buffer.from(base64, 'base64').toString('hex')}`);
}

/** Polynomials over two elements, modulo one, with the highest bit for the lowest power. */
class ReflectedField {
  readonly bits: number;
  readonly #polynomial: bigint;
  readonly #one: bigint;

  constructor({ bits, polynomial }: { readonly bits: number; readonly polynomial: bigint }) {
    this.bits = bits;
    this.#polynomial = polynomial;
    this.#one = 1n << BigInt(bits - 1);
  }

  multiply(a: bigint, b: bigint): bigint {
    let product = 0n;
    let shifted = b;
    for (let power = this.#one; power > 0n; power >>= 1n) {
      if (a & power) product ^= shifted;
      shifted = shifted & 1n ? (shifted >> 1n) ^ this.#polynomial : shifted >> 1n;
    }
    return product;
  }

  powerOfX(exponent: bigint): bigint {
    let result = this.#one;
    let square = this.#one >> 1n;
    for (let rest = exponent; rest > 0n; rest >>= 1n) {
      if (rest & 1n) result = this.multiply(result, square);
      square = this.multiply(square, square);
    }
    return result;
  }
}
