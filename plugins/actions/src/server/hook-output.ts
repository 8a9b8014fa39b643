/** What a hook prints: bounded, masked, readable while it runs. */
import type { MaskedEnvironment } from './environment.js';

/** Bytes kept of one hook. */
const outputLimit = 4 * 2 ** 20;
const cut = Buffer.from(`\n[output beyond ${outputLimit} bytes is dropped]\n`);

export class HookOutput {
  readonly #environment: Pick<MaskedEnvironment, 'masked' | 'maskedBytes'>;
  #chunks: Buffer[] = [];
  #length = 0;
  #isCut = false;

  constructor(environment: Pick<MaskedEnvironment, 'masked' | 'maskedBytes'>) {
    this.#environment = environment;
  }

  append(text: string | Uint8Array): void {
    if (this.#isCut) return;
    const bytes = this.#bytesOf(text);
    const room = outputLimit - this.#length;
    this.#push(bytes.subarray(0, room));
    if (bytes.length <= room) return;
    this.#isCut = true;
    this.#push(cut);
  }

  /** Ends the output; a last line is kept even when the output was cut. Later text is dropped. */
  close(line?: string): void {
    this.#isCut = true;
    if (line !== undefined) this.#push(Buffer.from(`${this.#environment.masked(line)}\n`));
  }

  /** Everything so far. */
  get bytes(): Buffer {
    const [only] = this.#chunks;
    if (this.#chunks.length === 1 && only) return only;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  get length(): number {
    return this.#length;
  }

  #push(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
  }

  #bytesOf(text: string | Uint8Array): Buffer {
    if (typeof text === 'string') return Buffer.from(this.#environment.masked(text));
    return this.#environment.maskedBytes(Buffer.from(text));
  }
}
