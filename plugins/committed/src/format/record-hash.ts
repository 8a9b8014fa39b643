/** Content ids of tables: SHA-256 over the framed records, then the hashed properties (format.md section 7.1). */
import { createHash } from 'node:crypto';
import { IdentityHash } from './ident.js';

const bar = 0x7c;
/** Bytes gathered before the hash sees them: one call per record would cost more than the hashing. */
const gather = 64 * 1024;

export class RecordHash {
  readonly #hash = createHash('sha256');
  readonly #buffer = Buffer.allocUnsafe(gather);
  #length = 0;

  add(key: Buffer, value: Buffer): void {
    this.#field(key);
    this.#field(value);
  }

  /** The id: 64 lower-case hexadecimal characters. No more records afterwards. */
  finish(properties: Readonly<Record<string, string>>): string {
    this.#flush();
    return new IdentityHash(this.#hash).map(properties).digest().toString('hex');
  }

  #field(bytes: Buffer): void {
    const needed = bytes.length + 12;
    if (this.#length + needed > gather) this.#flush();
    this.#decimal(bytes.length);
    if (needed > gather) {
      this.#flush();
      this.#hash.update(bytes);
    } else {
      this.#buffer.set(bytes, this.#length);
      this.#length += bytes.length;
    }
    this.#buffer[this.#length++] = bar;
  }

  #decimal(value: number): void {
    let scale = 1;
    while (scale * 10 <= value) scale *= 10;
    for (; scale >= 1; scale = Math.floor(scale / 10)) this.#buffer[this.#length++] = 0x30 + (Math.floor(value / scale) % 10);
  }

  #flush(): void {
    this.#hash.update(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
  }
}
