/** The entries of a range file, by column. Blocks while it works: threads call it. */
import { TableReader, decodeValue } from '@srv/engine/tables/format';
import { SrvError } from '@srv/kernel';
import { ProtoReader } from '@srv/lib-records';
import { encodeColumns } from '../format/columns.js';

/**
 * The index file of a range.
 * @param count entries that the metarange says there are.
 * @throws SrvError `corrupt` when there are more or fewer, or when the range or an entry does not decode.
 */
export function columnsOfRange(range: Buffer, name: string, count: number): Buffer {
  const reader = new TableReader({ name, size: range.length, read: (offset, length) => range.subarray(offset, offset + length) });
  const [paths, etags, types, metadata] = [new TextsWriter(), new TextsWriter(), new TextsWriter(), new TextsWriter()];
  const sizes: number[] = [];
  const times: number[] = [];
  const cursor = reader.cursor();
  for (cursor.first(); cursor.valid; cursor.next()) {
    paths.add(cursor.key);
    const entry = readEntry(decodeValue(cursor.value).data);
    etags.add(entry.etag);
    types.add(entry.type);
    metadata.add(entry.metadata);
    sizes.push(entry.size);
    times.push(entry.modified);
  }
  if (sizes.length !== count) throw new SrvError('corrupt', `range ${name} has ${sizes.length} records, but its metarange says ${count}`);
  return encodeColumns({
    texts: { path: paths.finish(), etag: etags.finish(), type: types.finish(), metadata: metadata.finish() },
    numbers: { size: Float64Array.from(sizes), modified: Float64Array.from(times) },
  });
}

const nothing = Buffer.alloc(0);

/** The fields of an entry that are searched, without making objects of all of them. */
function readEntry(data: Buffer) {
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
  #bytes = Buffer.allocUnsafe(1 << 16);
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

  finish(): { readonly bytes: Buffer; readonly ends: Uint32Array } {
    return { bytes: this.#bytes.subarray(0, this.#length), ends: Uint32Array.from(this.#ends) };
  }
}
