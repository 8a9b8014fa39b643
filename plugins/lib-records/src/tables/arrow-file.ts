/** Arrow as a table (IPC files, also called Feather, and streams): of each batch only the columns and rows that are looked at are read. */
import { Body, UnpackedBuffers } from './arrow/body.js';
import { ArrowError, namedError } from './arrow/error.js';
import { FlatTable } from './arrow/flatbuffer.js';
import { layoutOf } from './arrow/layout.js';
import { batchLayout, messageAt, messageKinds } from './arrow/messages.js';
import { readSchema } from './arrow/schema.js';
import { arrowColumn } from './arrow/text.js';
import { loadValues } from './arrow/values.js';
import { cachedSource } from './byte-source.js';
import type { BufferPlace } from './arrow/body.js';
import type { ColumnLayout } from './arrow/layout.js';
import type { BatchLayout } from './arrow/messages.js';
import type { ArrowField } from './arrow/schema.js';
import type { ArrowValue } from './arrow/text.js';
import type { BatchBody } from './arrow/values.js';
import type { ByteSource } from './byte-source.js';
import type { Batch, Cell, ColumnFacts, TableColumn, TableFile } from './table-file.js';

const magic = 'ARROW1';
const oldMagic = 'FEA1';
/** Bytes after the footer: its length and the mark. */
const tailBytes = 10;
const mostFooter = 256 * 1024 * 1024;
/** Batches whose headers are fetched at once. */
const together = 32;
/** Headers that are read when a file is opened; of more, the number of rows is known later. */
const atOnce = 512;
/** Bytes of a stream that is walked when it is opened. */
const quickStream = 4 * 1024 * 1024;
/** Values of a batch, of all its columns. */
const batchValues = 2_000_000;

export async function openArrow(source: ByteSource): Promise<TableFile> {
  try {
    const cached = await cachedSource(source);
    const head = new TextDecoder('latin1').decode(await cached.read(0, Math.min(cached.size, 8)));
    if (head.startsWith(oldMagic)) throw new ArrowError('it is of the first version of Feather; write it again with version 2');
    const messages = head.startsWith(magic) ? await fileMessages(cached) : await streamMessages(cached);
    const file = new ArrowFile(cached, messages);
    const isQuick = messages.places ? messages.places.length <= atOnce : cached.size <= quickStream;
    await file.find(0, isQuick ? Infinity : 1);
    return file;
  } catch (error) {
    throw namedError(error);
  }
}

/** What a file or a stream begins with. */
interface Messages {
  readonly fields: readonly ArrowField[];
  /** Places of all messages, as the footer has them; absent: they follow each other from `start`. */
  readonly places?: readonly number[];
  readonly start: number;
}

async function fileMessages(source: ByteSource): Promise<Messages> {
  const tail = await source.read(Math.max(0, source.size - tailBytes), source.size);
  const length = tail.length < tailBytes ? 0 : new DataView(tail.buffer, tail.byteOffset).getInt32(0, true);
  const isWhole = new TextDecoder('latin1').decode(tail.subarray(4)) === magic;
  const at = source.size - tailBytes - length;
  if (!isWhole || length <= 0 || length > mostFooter || at < 8) throw new ArrowError('its footer is missing or damaged');
  const footer = FlatTable.root(await source.read(at, source.size - tailBytes));
  const schema = footer.table(1);
  if (!schema) throw new ArrowError('it has no schema');
  const places = [2, 3].flatMap(field => footer.structs(field, 3).map(([offset = 0]) => offset));
  return { fields: readSchema(schema), places, start: 0 };
}

async function streamMessages(source: ByteSource): Promise<Messages> {
  const first = await messageAt(source, 0);
  if (first?.kind !== messageKinds.schema) throw new ArrowError('it is not an Arrow file');
  return { fields: readSchema(first.header), start: first.body.offset + first.body.length };
}

/** Values of a dictionary, one part after the other. */
type Dictionary = readonly { readonly layout: BatchLayout; readonly body: BufferPlace }[];

interface KnownBatch {
  readonly start: number;
  readonly layout: BatchLayout;
  readonly body: BufferPlace;
  /** As they are when the batch is read. */
  readonly dictionaries: ReadonlyMap<bigint, Dictionary>;
}

class ArrowFile implements TableFile {
  readonly columns: readonly TableColumn[];
  readonly facts: readonly ColumnFacts[];
  readonly notes: readonly string[] = [];
  total: number | undefined;
  readonly #source: ByteSource;
  readonly #messages: Messages;
  readonly #unpacked = new UnpackedBuffers();
  readonly #batches: KnownBatch[] = [];
  readonly #values = new WeakMap<Dictionary, Promise<ArrayLike<ArrowValue>>>();
  #dictionaries: ReadonlyMap<bigint, Dictionary> = new Map();
  /** Number of the next place, or the next place of a stream. */
  #next: number;
  #rows = 0;
  #finding: Promise<void> = Promise.resolve();

  constructor(source: ByteSource, messages: Messages) {
    this.#source = source;
    this.#messages = messages;
    this.#next = messages.start;
    this.columns = messages.fields.map(arrowColumn);
    this.facts = messages.fields.map(() => ({}));
  }

  async cells(start: number, end: number, columns: readonly number[]): Promise<Cell[][]> {
    const rows: Cell[][] = [];
    for (let number = 0; ; number++) {
      const batch = await this.find(number);
      if (!batch || batch.start >= end) return rows;
      const [from, to] = [Math.max(start, batch.start), Math.min(end, batch.start + batch.layout.rows)];
      if (from >= to) continue;
      const read = await this.#read(batch, columns, from - batch.start, to - batch.start);
      for (let row = 0; row < to - from; row++) rows.push(columns.map((column, i) => this.columns[column]?.text(read[i]?.[row]) ?? null));
    }
  }

  async *scan(columns: readonly number[]): AsyncGenerator<Batch> {
    const size = Math.max(1024, Math.floor(batchValues / Math.max(1, columns.length)));
    for (let number = 0; ; number++) {
      const batch = await this.find(number);
      if (!batch) return;
      const { start, layout, body } = batch;
      for (let from = 0; from < layout.rows; from += size) {
        const to = Math.min(layout.rows, from + size);
        const values = await this.#read(batch, columns, from, to);
        const share = Math.min(1, (body.offset + (body.length * to) / layout.rows) / this.#source.size);
        yield { start: start + from, count: to - from, values, share };
      }
    }
  }

  /** @param most batches that are looked for beyond it. @returns `undefined` after the last one. */
  async find(number: number, most = 1): Promise<KnownBatch | undefined> {
    while (this.#batches.length < number + most && this.total === undefined) {
      this.#finding = this.#finding.then(() => (this.total === undefined ? this.#more() : undefined));
      try {
        await this.#finding;
      } catch (error) {
        this.#finding = Promise.resolve();
        throw namedError(error);
      }
    }
    return this.#batches[number];
  }

  async #more(): Promise<void> {
    const { places } = this.#messages;
    const next = places ? places.slice(this.#next, this.#next + together) : [this.#next];
    const messages = await Promise.all(next.map(place => messageAt(this.#source, place)));
    for (const message of messages) if (message) this.#note(message);
    const last = messages.at(-1);
    if (!last) this.total = this.#rows;
    else this.#next = places ? this.#next + next.length : last.body.offset + last.body.length;
  }

  #note({ kind, header, body, isOld }: NonNullable<Awaited<ReturnType<typeof messageAt>>>): void {
    if (kind === messageKinds.batch) {
      const layout = batchLayout(header, isOld);
      this.#batches.push({ start: this.#rows, layout, body, dictionaries: this.#dictionaries });
      this.#rows += layout.rows;
      if (this.#rows > 2 ** 32 - 2) throw new ArrowError('it has more rows than can be shown');
    } else if (kind === messageKinds.dictionary) {
      const data = header.table(1);
      if (!data) throw new ArrowError('a dictionary of it is empty');
      const [id, isDelta] = [header.name(0), header.byte(2) !== 0];
      const known = isDelta ? (this.#dictionaries.get(id) ?? []) : [];
      this.#dictionaries = new Map(this.#dictionaries).set(id, [...known, { layout: batchLayout(data, isOld), body }]);
    }
  }

  /** Stored values of some rows of a batch. */
  async #read(batch: KnownBatch, columns: readonly number[], from: number, to: number): Promise<ArrayLike<ArrowValue>[]> {
    try {
      const layouts = layoutOf(this.#messages.fields, batch.layout);
      const source = this.#bodyOf(batch.layout, batch.body, batch.dictionaries);
      return await Promise.all(columns.map(column => loadValues(at(layouts, column), source, from, to)));
    } catch (error) {
      throw namedError(error);
    }
  }

  #bodyOf({ compression }: BatchLayout, place: BufferPlace, dictionaries: ReadonlyMap<bigint, Dictionary>): BatchBody {
    return {
      body: new Body(this.#source, place, compression, this.#unpacked),
      dictionary: field => {
        const dictionary = field.dictionary && dictionaries.get(field.dictionary.id);
        if (!dictionary) throw new ArrowError(`it has no dictionary for the column ${field.name}`);
        const known = this.#values.get(dictionary) ?? this.#valuesOf(field, dictionary, dictionaries);
        this.#values.set(dictionary, known);
        return known;
      },
    };
  }

  async #valuesOf(field: ArrowField, parts: Dictionary, dictionaries: ReadonlyMap<bigint, Dictionary>): Promise<ArrayLike<ArrowValue>> {
    const { name, type, children } = field;
    const values: ArrowValue[] = [];
    for (const { layout, body } of parts) {
      const column = at(layoutOf([{ name, type, children }], layout), 0);
      const part = await loadValues(column, this.#bodyOf(layout, body, dictionaries), 0, layout.rows);
      for (let i = 0; i < part.length; i++) values.push(part[i]);
    }
    return values;
  }
}

function at(layouts: readonly ColumnLayout[], column: number): ColumnLayout {
  const layout = layouts[column];
  if (!layout) throw new Error(`this table has no column ${column}`);
  return layout;
}
