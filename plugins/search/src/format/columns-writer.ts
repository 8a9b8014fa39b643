/** Collects entries by column, in order of keys. Blocks while it works. */
import { ProtoReader } from '@srv/lib-records/protobuf';
import { encodeColumns } from './columns.js';
import type { NumberColumn, TextColumn, Texts } from './columns.js';

/** In place of the size of an entry that is removed. */
export const removedSize = -1;

/** Columns of a file that was read whole. */
export interface WholeColumns {
  readonly texts: Readonly<Record<TextColumn, Texts>>;
  readonly numbers: Readonly<Record<NumberColumn, Float64Array>>;
}

export class ColumnsWriter {
  readonly #texts = { path: new TextsWriter(), etag: new TextsWriter(), type: new TextsWriter(), metadata: new TextsWriter() };
  readonly #sizes: number[] = [];
  readonly #times: number[] = [];

  get count(): number {
    return this.#sizes.length;
  }

  /** @param data an entry as the engine encodes it. @throws SrvError `corrupt`. */
  add(key: Buffer, data: Buffer): void {
    this.#addFields(key, readEntry(data));
  }

  addRemoved(key: Buffer): void {
    this.#addFields(key, { etag: nothing, type: nothing, metadata: nothing, size: removedSize, modified: 0 });
  }

  /** Adds an entry of another file. */
  copy({ texts, numbers }: WholeColumns, at: number): void {
    this.#addFields(texts.path.bytesAt(at), {
      etag: texts.etag.bytesAt(at),
      type: texts.type.bytesAt(at),
      metadata: texts.metadata.bytesAt(at),
      size: numbers.size[at] ?? 0,
      modified: numbers.modified[at] ?? 0,
    });
  }

  /** Takes the last entries away. @param count entries that stay. */
  truncate(count: number): void {
    for (const texts of Object.values(this.#texts)) texts.truncate(count);
    this.#sizes.length = count;
    this.#times.length = count;
  }

  /** The whole file. */
  finish(): Buffer {
    const { path, etag, type, metadata } = this.#texts;
    return encodeColumns({
      texts: { path: path.finish(), etag: etag.finish(), type: type.finish(), metadata: metadata.finish() },
      numbers: { size: Float64Array.from(this.#sizes), modified: Float64Array.from(this.#times) },
    });
  }

  #addFields(key: Buffer, { etag, type, metadata, size, modified }: Fields): void {
    this.#texts.path.add(key);
    this.#texts.etag.add(etag);
    this.#texts.type.add(type);
    this.#texts.metadata.add(metadata);
    this.#sizes.push(size);
    this.#times.push(modified);
  }
}

interface Fields {
  readonly etag: Buffer;
  readonly type: Buffer;
  readonly metadata: Buffer;
  readonly size: number;
  readonly modified: number;
}

const nothing = Buffer.alloc(0);

/** The fields of an entry that are searched, without making objects of all of them. */
function readEntry(data: Buffer): Fields {
  const entry = { etag: nothing as Buffer, type: nothing as Buffer, metadata: nothing as Buffer, size: 0, modified: 0 };
  const pairs: [string, string][] = [];
  const reader = new ProtoReader(data, 'entry');
  while (reader.next()) {
    const { field } = reader;
    if (field === 2) {
      const { seconds, nanos } = reader.timestamp;
      entry.modified = seconds * 1000 + Math.floor(nanos / 1e6);
    } else if (field === 3) entry.size = reader.int;
    else if (field === 4) entry.etag = reader.bytes;
    else if (field === 5) pairs.push(reader.mapEntry);
    else if (field === 7) entry.type = reader.bytes;
  }
  if (pairs.length > 0) entry.metadata = Buffer.from(JSON.stringify(Object.fromEntries(pairs)));
  return entry;
}

/** Texts that grow. */
class TextsWriter {
  #bytes = Buffer.allocUnsafe(1 << 12);
  #length = 0;
  readonly #ends: number[] = [];

  add(text: Buffer): void {
    if (this.#length + text.length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + text.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    this.#length += text.copy(this.#bytes, this.#length);
    this.#ends.push(this.#length);
  }

  truncate(count: number): void {
    this.#ends.length = count;
    this.#length = this.#ends.at(-1) ?? 0;
  }

  finish(): { readonly bytes: Buffer; readonly ends: Uint32Array } {
    return { bytes: this.#bytes.subarray(0, this.#length), ends: Uint32Array.from(this.#ends) };
  }
}
