/** A form with which a browser uploads an object: its fields, and the file, which comes last and is read later. */
import { Readable } from 'node:stream';
import { S3Error } from '../protocol/errors.js';
import { BodyChunks } from './body-chunks.js';
import { FormParts } from './parts.js';

export interface UploadForm {
  readonly fields: FormFields;
  readonly file: Readable;
  /** Gives back what has not been read of the body. */
  close(): void;
}

/** Bytes of all fields before the file: those S3 takes, and as many again. */
export const maxFields = 40 * 1024;
const maxFieldCount = 100;
/** Milliseconds until the file begins, however evenly the fields come: nothing is known of their sender. */
const fieldsTime = 60_000;

/** Fields by name, whose case does not matter. The first of a name counts. */
export class FormFields {
  readonly #values = new Map<string, Buffer>();

  /** @returns false for a name that is there already. */
  add(name: string, value: Buffer): boolean {
    const key = name.toLowerCase();
    if (this.#values.has(key)) return false;
    this.#values.set(key, value);
    return true;
  }

  /** In lower case. */
  names(): string[] {
    return [...this.#values.keys()];
  }

  text(name: string): string | undefined {
    return this.#values.get(name.toLowerCase())?.toString('utf8');
  }

  /** As header values are: one character a byte. */
  bytes(name: string): string | undefined {
    return this.#values.get(name.toLowerCase())?.toString('latin1');
  }
}

/**
 * Reads up to the file. `${filename}` in the key stands for the name of the file.
 * @param idleLimit milliseconds to wait for the next byte; 0: any time.
 * @param totalLimit milliseconds until the file begins.
 * @throws S3Error `MalformedPOSTRequest`, `MaxPostPreDataLengthExceeded`, `IncompleteBody`, `RequestTimeout`; `InvalidArgument`
 * without a file.
 */
export async function readForm(source: Readable, boundary: string, idleLimit: number, totalLimit = fieldsTime): Promise<UploadForm> {
  const chunks = new BodyChunks(source, idleLimit);
  const late = setTimeout(() => chunks.close(new S3Error('RequestTimeout')), totalLimit);
  try {
    return { ...(await readParts(new FormParts(chunks, boundary))), close: () => chunks.close() };
  } catch (error) {
    chunks.close();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

async function readParts(parts: FormParts): Promise<Omit<UploadForm, 'close'>> {
  const fields = new FormFields();
  let [size, count] = [0, 0];
  await parts.begin();
  for (let head = await parts.head(); head; head = await parts.head()) {
    if (head.name.toLowerCase() === 'file') return { fields: withFilename(fields, head.filename), file: fileOf(parts) };
    const pieces: Buffer[] = [];
    size += head.name.length;
    if (++count > maxFieldCount) throw new S3Error('MaxPostPreDataLengthExceeded');
    for await (const piece of parts.content()) {
      size += piece.length;
      if (size > maxFields) throw new S3Error('MaxPostPreDataLengthExceeded');
      pieces.push(piece);
    }
    if (!fields.add(head.name, Buffer.concat(pieces)))
      throw new S3Error('InvalidArgument', { message: `POST requires exactly one field named ${JSON.stringify(head.name)}.` });
  }
  throw new S3Error('InvalidArgument', { message: 'POST requires exactly one file upload per request.' });
}

function fileOf(parts: FormParts): Readable {
  async function* content(): AsyncGenerator<Buffer> {
    yield* parts.content();
    await parts.finish();
  }
  // Its reader sees that it ends early; without a reader it does not matter.
  return Readable.from(content(), { objectMode: false }).on('error', () => undefined);
}

/** Browsers give the whole path of a file, or its name alone. */
function withFilename(fields: FormFields, filename = ''): FormFields {
  const key = fields.text('key');
  if (key === undefined) return fields;
  const name = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1);
  const named = new FormFields();
  for (const field of fields.names()) {
    const value = field === 'key' ? key.replaceAll('${filename}', () => name) : undefined;
    named.add(field, value === undefined ? Buffer.from(fields.bytes(field) ?? '', 'latin1') : Buffer.from(value, 'utf8'));
  }
  return named;
}
