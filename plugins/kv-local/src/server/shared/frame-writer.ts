/** Messages that wait to be sent, and leave as few frames in one write. */
import { frameOf } from './frames.js';
import { frameTargetBytes } from './messages.js';
import type { Socket } from 'node:net';

export class FrameWriter {
  readonly #socket: Socket;
  #messages: Buffer[] = [];
  #bytes = 0;
  #isDue = false;

  /** @param onDrain the peer has read what was sent. */
  constructor(socket: Socket, onDrain: () => void) {
    this.#socket = socket;
    socket.on('drain', onDrain);
  }

  /** Bytes that the peer has not taken yet. */
  get waitingBytes(): number {
    return this.#bytes + this.#socket.writableLength;
  }

  add(message: Buffer): void {
    this.#messages.push(message);
    this.#bytes += message.length;
  }

  /** Sends everything once all that is settled together has been added. */
  flushSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    process.nextTick(() => {
      this.#isDue = false;
      this.flush();
    });
  }

  flush(): void {
    if (this.#messages.length === 0) return;
    const messages = this.#messages;
    this.#messages = [];
    this.#bytes = 0;
    if (this.#socket.destroyed) return;
    this.#socket.cork();
    let [first, bytes] = [0, 0];
    for (const [i, message] of messages.entries()) {
      bytes += message.length;
      if (bytes < frameTargetBytes && i + 1 < messages.length) continue;
      this.#socket.write(frameOf(messages.slice(first, i + 1), bytes));
      [first, bytes] = [i + 1, 0];
    }
    this.#socket.uncork();
  }
}
