/** What the thread of a script asks the thread that calls services outside. Bytes travel as `Uint8Array`, all else as data. */
import type { Readable } from 'node:stream';

export interface OutsideCall {
  /** Name of the service, such as `s3`. */
  readonly service: string;
  readonly method: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type OutsideReply = { readonly kind: 'result'; readonly value: unknown } | { readonly kind: 'failure'; readonly message: string };

interface OutsideLimits {
  /** Bytes of a body that is read whole. */
  readonly maxBody: number;
}

/** A service: its methods take the input of a call, and return data. */
export type OutsideService = Readonly<Record<string, (input: Input, limits: OutsideLimits) => Promise<unknown>>>;

/** Input of a call, checked where it is used. */
export class Input {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  text(name: string): string {
    const value = this.#fields[name];
    if (typeof value !== 'string') throw new TypeError(`${name} must be a string`);
    return value;
  }

  /** Empty counts as absent. */
  optional(name: string): string | undefined {
    return this.has(name) && this.text(name) !== '' ? this.text(name) : undefined;
  }

  flag(name: string, otherwise: boolean): boolean {
    const value = this.#fields[name];
    return typeof value === 'boolean' ? value : otherwise;
  }

  bytes(name: string): Buffer {
    const value = this.#fields[name];
    if (!(value instanceof Uint8Array)) throw new TypeError(`${name} must be bytes`);
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }

  /** A JSON object given as text. */
  json(name: string): Readonly<Record<string, unknown>> {
    const value: unknown = JSON.parse(this.text(name));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError(`${name} must be a JSON object`);
    return value as Readonly<Record<string, unknown>>;
  }

  record(name: string): Readonly<Record<string, unknown>> {
    const value = this.#fields[name];
    if (typeof value !== 'object' || value === null) throw new TypeError(`${name} must be a table`);
    return value as Readonly<Record<string, unknown>>;
  }
}

/** @throws RangeError when there is more than a script may read. */
export async function readWhole(stream: Readable, { maxBody }: OutsideLimits): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBody) throw new RangeError(`the response is larger than ${maxBody} bytes, the most that scripts can read at once`);
    pieces.push(piece);
  }
  return new Uint8Array(Buffer.concat(pieces));
}
