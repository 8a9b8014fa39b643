/** Bodies of type `multipart/related`: a part of JSON, then a part of bytes that may be long. */
import type { IncomingMessage } from 'node:http';

interface Multipart {
  readonly metadata: string;
  readonly bytes: AsyncIterable<Buffer>;
}

export async function relatedParts(request: IncomingMessage): Promise<Multipart> {
  const boundary = /boundary="?([^";]+)"?/.exec(request.headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) throw new Error('no boundary');
  const reader = new PartReader(request as AsyncIterable<Buffer>, Buffer.from(`\r\n--${boundary}`));
  await reader.skip();
  await reader.head();
  const metadata: Buffer[] = [];
  for await (const chunk of reader.part()) metadata.push(chunk);
  await reader.head();
  return { metadata: Buffer.concat(metadata).toString(), bytes: reader.part() };
}

class PartReader {
  readonly #source: AsyncIterator<Buffer>;
  readonly #delimiter: Buffer;
  /** The first delimiter has no line before it. */
  #held: Buffer = Buffer.from('\r\n');

  constructor(source: AsyncIterable<Buffer>, delimiter: Buffer) {
    this.#source = source[Symbol.asyncIterator]();
    this.#delimiter = delimiter;
  }

  /** To the first delimiter. */
  async skip(): Promise<void> {
    for await (const _ of this.part());
  }

  /** The lines before a part's bytes. */
  async head(): Promise<void> {
    let end = this.#held.indexOf('\r\n\r\n');
    for (; end < 0; end = this.#held.indexOf('\r\n\r\n')) await this.#more();
    this.#held = this.#held.subarray(end + 4);
  }

  /** Up to the next delimiter, which is consumed. */
  async *part(): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#held.indexOf(this.#delimiter);
      if (at >= 0) {
        if (at > 0) yield this.#held.subarray(0, at);
        this.#held = this.#held.subarray(at + this.#delimiter.length);
        return;
      }
      // The delimiter may have begun at the end.
      const sure = this.#held.length - this.#delimiter.length;
      if (sure > 0) {
        yield this.#held.subarray(0, sure);
        this.#held = this.#held.subarray(sure);
      }
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    const next = await this.#source.next();
    if (next.done) throw new Error('the body ends before its last delimiter');
    this.#held = Buffer.concat([this.#held, next.value]);
  }
}
