/** An answer that is more than data: another status, headers, or a stream. */
import type { Readable } from 'node:stream';

export interface ReplyParts {
  /** Absent: the operation's own. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON; absent: no body. */
  readonly body?: Readonly<Record<string, unknown>> | readonly unknown[];
  /** The body as JSON that is ready, with its line break; instead of `body`. */
  readonly json?: Buffer;
  /** Bytes that are sent as they are, and how many there will be; instead of `body`. */
  readonly stream?: { readonly body: Readable; readonly size: number };
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
