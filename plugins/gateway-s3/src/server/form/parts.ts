/**
 * The parts of a `multipart/form-data` body (RFC 7578), one after the other while they come. Every byte is looked at a bounded
 * number of times, and no more is kept than a delimiter has.
 */
import { S3Error } from '../protocol/errors.js';

interface PartHead {
  /** UTF-8. */
  readonly name: string;
  /** Of files; some clients give every field one. */
  readonly filename: string | undefined;
}

/** Bytes of the headers of one part, and of what precedes or follows all parts. */
const maxHead = 16 * 1024;
const lineEnd = Buffer.from('\r\n');
const headEnd = Buffer.from('\r\n\r\n');

const malformed = (what: string): S3Error =>
  new S3Error('MalformedPOSTRequest', { message: `The body of your POST request is not well-formed multipart/form-data: ${what}.` });

/** The boundary in a `Content-Type`. `undefined` for another type. @throws S3Error `MalformedPOSTRequest` without a usable one. */
export function formBoundary(contentType: string): string | undefined {
  const [type = '', ...parameters] = contentType.split(';');
  if (type.trim().toLowerCase() !== 'multipart/form-data') return undefined;
  const value = parameterOf(parameters.join(';'), 'boundary');
  if (value === undefined || value === '' || value.length > 200) throw malformed('its Content-Type names no boundary');
  return value;
}

/** Reads from one part to the next; the content of a part must be read to its end before the next part. */
export class FormParts {
  readonly #source: AsyncIterator<Buffer>;
  readonly #delimiter: Buffer;
  /** Received and not yet used. A delimiter begins a line, and the first line has nothing before it. */
  #rest: Buffer = lineEnd;
  #isOver = false;

  constructor(source: AsyncIterator<Buffer>, boundary: string) {
    this.#source = source;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  /** Goes to the first part. @throws S3Error `MalformedPOSTRequest`, `IncompleteBody`. */
  async begin(): Promise<void> {
    let skipped = 0;
    for await (const { length } of this.content()) {
      skipped += length;
      if (skipped > maxHead) throw malformed('its first boundary is missing');
    }
  }

  /** The head of the part that begins; `undefined` after the last. */
  async head(): Promise<PartHead | undefined> {
    if (this.#isOver) return undefined;
    if ((await this.#before(lineEnd)).toString('latin1').startsWith('--')) {
      this.#isOver = true;
      return undefined;
    }
    // The line end is also the beginning of that of an empty head.
    const lines = (await this.#before(headEnd)).toString('utf8').split('\r\n');
    this.#take(headEnd.length);
    const disposition = lines.find(line => line.slice(0, line.indexOf(':')).trim().toLowerCase() === 'content-disposition');
    const value = disposition?.slice(disposition.indexOf(':') + 1) ?? '';
    const name = parameterOf(value, 'name');
    if (value.split(';', 1)[0]?.trim().toLowerCase() !== 'form-data' || name === undefined) throw malformed('a part has no name');
    return { name, filename: parameterOf(value, 'filename') };
  }

  /** The bytes up to the next delimiter. */
  async *content(): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#rest.indexOf(this.#delimiter);
      const end = at < 0 ? this.#rest.length - this.#delimiter.length + 1 : at;
      if (end > 0) yield this.#take(end);
      if (at >= 0) {
        this.#take(this.#delimiter.length);
        return;
      }
      if (!(await this.#more())) throw new S3Error('IncompleteBody');
    }
  }

  /** Reads what follows: further parts, which mean nothing, up to the end of the body. */
  async finish(): Promise<void> {
    for (let length = this.#rest.length; ; length += this.#rest.length) {
      if (length > maxHead) throw malformed('too much follows the file, which must be the last field');
      this.#rest = Buffer.alloc(0);
      if (!(await this.#more())) return;
    }
  }

  /** What precedes `mark`, which is the next to be read. */
  async #before(mark: Buffer): Promise<Buffer> {
    for (;;) {
      const at = this.#rest.indexOf(mark);
      if (at > maxHead || (at < 0 && this.#rest.length > maxHead)) throw malformed('the head of a part is too long');
      if (at >= 0) return this.#take(at);
      if (await this.#more()) continue;
      // Some clients omit the line break after the last delimiter.
      if (mark === lineEnd && this.#rest.toString('latin1').startsWith('--')) return this.#take(this.#rest.length);
      throw new S3Error('IncompleteBody');
    }
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    if (done === true) return false;
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    return true;
  }
}

/** A parameter of a header, `name="value"` or `name=value`. In quotes `\"` is a quote; other backslashes are part of a path. */
function parameterOf(text: string, wanted: string): string | undefined {
  for (let at = 0; at < text.length; ) {
    const equals = text.indexOf('=', at);
    if (equals < 0) return undefined;
    const name = text
      .slice(text.lastIndexOf(';', equals) + 1, equals)
      .trim()
      .toLowerCase();
    let value = '';
    let i = equals + 1;
    if (text[i] === '"') {
      for (i++; i < text.length && text[i] !== '"'; i++) {
        if (text[i] === '\\' && text[i + 1] === '"') i++;
        value += text[i];
      }
      i = text.indexOf(';', i);
    } else {
      i = text.indexOf(';', i);
      value = text.slice(equals + 1, i < 0 ? undefined : i).trim();
    }
    if (name === wanted) return value;
    if (i < 0) return undefined;
    at = i + 1;
  }
  return undefined;
}
