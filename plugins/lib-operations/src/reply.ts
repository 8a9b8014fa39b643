/** An answer that is more than data: another status, headers, or a stream. */
import type { Readable } from 'node:stream';

export interface ReplyParts {
  /** Absent: the operation's own. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent as it is, anything else as JSON; absent: no body. */
  readonly body?: Readable | object;
  /** The body as JSON that is ready, with its line break; instead of `body`. */
  readonly json?: Buffer;
}

export class Reply {
  readonly parts: ReplyParts;

  constructor(parts: ReplyParts) {
    this.parts = parts;
  }
}

export function reply(parts: ReplyParts): Reply {
  return new Reply(parts);
}
