/** Reads one part of a `multipart/form-data` body as it arrives. */
import { Readable } from 'node:stream';
import { SrvError } from '@srv/kernel';

interface Part {
  /** Absent when the part has no such header. */
  readonly contentType?: string | undefined;
  readonly body: Readable;
}

/** Bytes of one part's headers. */
const maxHeader = 16 * 1024;
const carriageReturn = 0x0d;

/** Boundary of a content type; `undefined` when it is not a form, or has no boundary. */
export function boundaryOf(contentType: string): string | undefined {
  const match = /^multipart\/form-data\b.*?;\s*boundary=(?:"([^"]{1,70})"|([^;\s]{1,70}))/i.exec(contentType);
  return match?.[1] ?? match?.[2];
}

/**
 * The first part of the given name; parts before it are skipped, parts after it are read and discarded.
 * The source is destroyed together with the part.
 * @throws SrvError `invalid` without such a part, or when the body is not a form.
 */
export async function findPart(source: Readable, boundary: string, name: string): Promise<Part> {
  try {
    return await findOpenPart(source, boundary, name);
  } catch (error) {
    source.destroy();
    throw error;
  }
}

async function findOpenPart(source: Readable, boundary: string, name: string): Promise<Part> {
  const reader = new PartReader(source, boundary);
  await reader.skipPreamble();
  for (let headers = await reader.readHeaders(); headers !== undefined; headers = await reader.readHeaders()) {
    if (formName(headers) !== name) {
      await reader.skipPart();
      continue;
    }
    const contentType = headerOf(headers, 'content-type');
    return { body: new PartBody(reader.readLastBody(), source), contentType };
  }
  throw new SrvError('invalid', `multipart upload missing key '${name}': http: no such file`);
}

/** `Readable.from` would wait for the source as it is destroyed, and the source for its reader. */
class PartBody extends Readable {
  readonly #pieces: AsyncIterator<Buffer>;
  readonly #source: Readable;

  constructor(pieces: AsyncIterator<Buffer>, source: Readable) {
    super();
    this.#pieces = pieces;
    this.#source = source;
  }

  override _read(): void {
    this.#pieces.next().then(
      ({ done, value }) => this.push(done === true ? null : value),
      (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
    );
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#source.destroy();
    done(error);
  }
}

class PartReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #boundary: string;
  /** Ends a part. Until the first one was read, a bare line feed before it is enough. */
  #delimiter: Buffer;
  /** Lines of the form end as the first delimiter does: with CRLF, or with a bare LF as some programs write it. */
  #lineEnd = '\r\n';
  /** A line break is put in front, so that the first delimiter looks like every other. */
  #held: Buffer = Buffer.from('\n');

  constructor(source: Readable, boundary: string) {
    this.#chunks = source[Symbol.asyncIterator]();
    this.#boundary = boundary;
    this.#delimiter = Buffer.from(`\n--${boundary}`);
  }

  /** Takes in the first delimiter and what precedes it. */
  async skipPreamble(): Promise<void> {
    await this.skipPart();
    for (;;) {
      const end = this.#held.indexOf('\n');
      if (end >= 0) {
        this.#lineEnd = end > 0 && this.#held[end - 1] === carriageReturn ? '\r\n' : '\n';
        break;
      }
      // A form without parts may end without a line break.
      if (this.#held.length > maxHeader || !(await this.#more())) break;
    }
    this.#delimiter = Buffer.from(`${this.#lineEnd}--${this.#boundary}`);
  }

  async skipPart(): Promise<void> {
    for await (const _ of this.readBody());
  }

  /** Bytes up to the next delimiter, which is consumed. */
  async *readBody(): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(this.#delimiter);
      if (at >= 0) {
        const body = this.#held.subarray(0, at);
        this.#held = this.#held.subarray(at + this.#delimiter.length);
        if (body.length > 0) yield body;
        return;
      }
      // The end of what is held may be the beginning of a delimiter.
      const safe = this.#held.length - this.#delimiter.length + 1;
      if (safe > 0) {
        yield this.#held.subarray(0, safe);
        this.#held = this.#held.subarray(safe);
      }
      if (!(await this.#more())) throw new SrvError('invalid', 'multipart body ends before its boundary');
    }
  }

  /** Like {@link readBody}; then takes in the rest, so that the connection can carry another request. */
  async *readLastBody(): AsyncGenerator<Buffer> {
    yield* this.readBody();
    do this.#held = Buffer.alloc(0);
    while (await this.#more());
  }

  /** Header lines of the next part; `undefined` after the last one. */
  async readHeaders(): Promise<string[] | undefined> {
    while (this.#held.length < 2) if (!(await this.#more())) return undefined;
    if (this.#held.subarray(0, 2).toString('latin1') === '--') return undefined;
    for (;;) {
      const end = this.#held.indexOf(this.#lineEnd + this.#lineEnd);
      if (end >= 0) {
        const lines = this.#held.subarray(0, end).toString('utf8').split(this.#lineEnd);
        this.#held = this.#held.subarray(end + 2 * this.#lineEnd.length);
        return lines.slice(1);
      }
      if (this.#held.length > maxHeader) throw new SrvError('invalid', `headers of a multipart part exceed ${maxHeader} bytes`);
      if (!(await this.#more())) throw new SrvError('invalid', 'multipart body ends within the headers of a part');
    }
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
    return true;
  }
}

function headerOf(lines: readonly string[], name: string): string | undefined {
  const line = lines.find(l => l.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

function formName(lines: readonly string[]): string | undefined {
  const disposition = headerOf(lines, 'content-disposition') ?? '';
  return /;\s*name="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1] ?? /;\s*name=([^;\s]+)/i.exec(disposition)?.[1];
}
