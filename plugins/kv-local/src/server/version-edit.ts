/**
 * A record of LevelDB's manifest: fields, each a tag and its values. Numbers are varints (little endian, seven bits a byte);
 * texts and keys have a length before them (`db/version_edit.cc`).
 */

/** What an edit says about files. Its other fields are read over. */
export interface VersionEdit {
  /** Logs with a smaller number are no longer needed. */
  readonly log: number | undefined;
  /** A log that is needed although its number is smaller; 0: none. Only old releases of LevelDB wrote others. */
  readonly previousLog: number | undefined;
  readonly deleted: readonly TablePlace[];
  readonly added: readonly AddedTable[];
}

interface TablePlace {
  /** From 0 to 6. */
  readonly level: number;
  readonly number: number;
}

interface AddedTable extends TablePlace {
  readonly bytes: number;
}

const tag = {
  comparator: 1,
  log: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedTable: 6,
  addedTable: 7,
  previousLog: 9,
} as const;

const levels = 7;
const maxVarintBytes = 10;

/** @returns `undefined` for bytes that are not an edit: LevelDB refuses them, too. */
export function decodeVersionEdit(bytes: Buffer): VersionEdit | undefined {
  try {
    return decode(new Fields(bytes));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function decode(fields: Fields): VersionEdit {
  let log: number | undefined;
  let previousLog: number | undefined;
  const deleted: TablePlace[] = [];
  const added: AddedTable[] = [];
  while (!fields.isAtEnd) {
    const field = fields.number();
    switch (field) {
      case tag.comparator:
        fields.skipText();
        break;
      case tag.log:
        log = fields.exactNumber();
        break;
      case tag.nextFile:
      case tag.lastSequence:
        fields.number();
        break;
      case tag.compactPointer:
        fields.level();
        fields.skipText();
        break;
      case tag.deletedTable:
        deleted.push({ level: fields.level(), number: fields.exactNumber() });
        break;
      case tag.addedTable:
        added.push({ level: fields.level(), number: fields.exactNumber(), bytes: fields.exactNumber() });
        // The first and the last key.
        fields.skipText();
        fields.skipText();
        break;
      case tag.previousLog:
        previousLog = fields.exactNumber();
        break;
      default:
        throw new RangeError(`unknown tag ${field}`);
    }
  }
  return { log, previousLog, deleted, added };
}

/** Every method throws a RangeError at bytes that do not hold what it reads. */
class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** Above 2^53 only about right. */
  number(): number {
    let value = 0;
    for (let i = 0; i < maxVarintBytes; i++) {
      const byte = this.#bytes.readUInt8(this.#at++);
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw new RangeError('a number has too many bytes');
  }

  exactNumber(): number {
    const value = this.number();
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is too large for the number or the size of a file`);
    return value;
  }

  level(): number {
    const level = this.number();
    if (level >= levels) throw new RangeError(`level ${level} does not exist`);
    return level;
  }

  skipText(): void {
    const length = this.number();
    if (length > this.#bytes.length - this.#at) throw new RangeError(`a text of ${length} bytes is cut off`);
    this.#at += length;
  }
}
