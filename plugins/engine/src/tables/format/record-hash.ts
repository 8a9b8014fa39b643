/** Content ids of tables: SHA-256 over the framed records, then the hashed properties (format.md section 7.1). */
import { createHash } from 'node:crypto';
import { IdentityHash } from './ident.js';

const bar = 0x7c;
/** Bytes gathered before the hash sees them: one call per record would cost more than the hashing. */
const gather = 64 * 1024;
/** Digits and bar around a field at most. */
const frameOverhead = 12;

/** Records framed for hashing: `<length>key|<length>value|`, repeated. */
export class RecordFrames {
  #bytes = Buffer.allocUnsafeSlow(gather);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(key: Buffer, value: Buffer): void {
    this.#reserve(key.length + value.length + 2 * frameOverhead);
    this.#field(key);
    this.#field(value);
  }

  /** What was added since the last call. Valid until the next `add`. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }

  /** A copy of what was added. */
  finish(): Buffer {
    return Buffer.from(this.take());
  }

  #field(bytes: Buffer): void {
    let scale = 1;
    while (scale * 10 <= bytes.length) scale *= 10;
    for (; scale >= 1; scale = Math.floor(scale / 10)) this.#bytes[this.#length++] = 0x30 + (Math.floor(bytes.length / scale) % 10);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
    this.#bytes[this.#length++] = bar;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + more));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

export class RecordHash {
  readonly #hash = createHash('sha256');
  readonly #frames = new RecordFrames();

  add(key: Buffer, value: Buffer): void {
    this.#frames.add(key, value);
    if (this.#frames.length > gather - 1024) this.#flush();
  }

  /** Records that are framed already. */
  addFramed(bytes: Buffer): void {
    this.#flush();
    this.#hash.update(bytes);
  }

  /** The id: 64 lower-case hexadecimal characters. No more records afterwards. */
  finish(properties: Readonly<Record<string, string>>): string {
    this.#flush();
    return new IdentityHash(this.#hash).map(properties).digest().toString('hex');
  }

  #flush(): void {
    if (this.#frames.length > 0) this.#hash.update(this.#frames.take());
  }
}
