/**
 * The body of a commit: a JSON object per line, of which the member `content` may be as long as a file. It is decoded while it
 * arrives; the rest of a line is kept and parsed.
 */
import { parseObject, textOf } from '../body.js';
import { HubError } from '../errors.js';
import type { StoredContent } from './content.js';

export interface CommitLine {
  readonly value: Readonly<Record<string, unknown>>;
  /** What `content` held, in base64. */
  readonly content?: StoredContent;
}

interface Writer {
  write(piece: Buffer): Promise<void>;
  end(): Promise<StoredContent>;
  abandon(error: Error): Promise<void>;
}

/** Bytes of a line without its content. */
const maxLine = 64 * 1024;
const [quote, backslash, colon, newline] = [...'"\\:\n'].map(char => char.charCodeAt(0));
const [tab, space, carriageReturn] = [...'\t \r'].map(char => char.charCodeAt(0));
const member = 'content';

/** @param open begins to store a content. @throws HubError 400, and what the writer fails with. */
export async function* readLines(source: AsyncIterable<Buffer>, open: () => Writer): AsyncGenerator<CommitLine> {
  const reader = new LineReader(open);
  try {
    for await (const chunk of source) yield* reader.take(chunk);
    yield* reader.end();
  } catch (error) {
    await reader.abandon(error instanceof Error ? error : new Error(String(error)));
    throw error;
  }
}

type Mode = 'plain' | 'string' | 'escape' | 'content';

class LineReader {
  readonly #open: () => Writer;
  #mode: Mode = 'plain';
  /** The line so far, with an empty text in place of the content. */
  #line: number[] = [];
  /** The last text, if it is short. */
  #text: number[] = [];
  #afterColon = false;
  #writer: Writer | undefined;
  #base64 = '';
  #content: StoredContent | undefined;

  constructor(open: () => Writer) {
    this.#open = open;
  }

  async *take(chunk: Buffer): AsyncGenerator<CommitLine> {
    for (let at = 0; at < chunk.length; ) {
      if (this.#mode === 'content') {
        at = await this.#takeContent(chunk, at);
        continue;
      }
      const byte = chunk[at++] ?? 0;
      if (this.#mode === 'plain' && byte === newline) {
        const line = this.#finish();
        if (line) yield line;
      } else this.#takeByte(byte);
    }
  }

  async *end(): AsyncGenerator<CommitLine> {
    if (this.#mode !== 'plain') throw new HubError(400, 'the body ends within a text');
    const line = this.#finish();
    if (line) yield line;
  }

  async abandon(error: Error): Promise<void> {
    await this.#writer?.abandon(error);
  }

  #takeByte(byte: number): void {
    if (this.#line.length >= maxLine) throw new HubError(400, `a line has more than ${maxLine} bytes in addition to its content`);
    this.#line.push(byte);
    if (this.#mode === 'escape') this.#mode = 'string';
    else if (this.#mode === 'string') {
      if (byte === backslash) this.#mode = 'escape';
      if (byte === quote) this.#mode = 'plain';
      else if (this.#text.length <= member.length) this.#text.push(byte);
    } else if (byte === quote) this.#beginText();
    else if (byte === colon) this.#afterColon = true;
    else if (byte !== tab && byte !== space && byte !== carriageReturn) this.#afterColon = false;
  }

  #beginText(): void {
    const isContent = this.#afterColon && String.fromCharCode(...this.#text) === member;
    this.#afterColon = false;
    this.#text = [];
    if (!isContent) {
      this.#mode = 'string';
      return;
    }
    if (this.#content) throw new HubError(400, 'a line has two contents');
    this.#mode = 'content';
    this.#base64 = '';
    this.#writer = this.#open();
  }

  /** @returns where the content ends, or the end of the chunk. */
  async #takeContent(chunk: Buffer, from: number): Promise<number> {
    const end = chunk.indexOf('"', from);
    const part = chunk.subarray(from, end < 0 ? chunk.length : end);
    // A slash may be escaped; base64 has no other character that JSON escapes.
    const plain = (this.#base64 + part.toString('latin1')).replaceAll('\\/', '/');
    const usable = end < 0 ? Math.max(0, plain.length - (plain.length % 4) - 4) : plain.length;
    this.#base64 = plain.slice(usable);
    await this.#writer?.write(decode(plain.slice(0, usable), end >= 0));
    if (end < 0) return chunk.length;
    this.#content = await this.#writer?.end();
    this.#writer = undefined;
    this.#line.push(quote ?? 0);
    this.#mode = 'plain';
    return end + 1;
  }

  #finish(): CommitLine | undefined {
    const text = textOf(Buffer.from(this.#line));
    const content = this.#content;
    this.#line = [];
    this.#text = [];
    this.#content = undefined;
    this.#afterColon = false;
    if (text.trim() === '') return undefined;
    return { value: parseObject(text), ...(content ? { content } : {}) };
  }
}

/** @param isLast padding may be at the end. @throws HubError 400. */
function decode(text: string, isLast: boolean): Buffer {
  const bytes = Buffer.from(text, 'base64');
  const padding = isLast ? (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0) : 0;
  if (bytes.length !== Math.floor(((text.length - padding) * 3) / 4)) throw new HubError(400, 'a content is not valid base64');
  return bytes;
}
