/** The script's side of the link to the server: calls that wait for their reply, and output. */
import { receiveMessageOnPort } from 'node:worker_threads';
import { maxOutstanding, maxPrint } from './limits.js';
import { LuaError, bufferOf } from './lua-value.js';
import { shared } from './protocol.js';
import type { MessagePort } from 'node:worker_threads';
import type { Bytes } from './lua-value.js';
import type { ApiCall, FromThread, Reply } from './protocol.js';

export interface ApiResponse {
  readonly status: number;
  /** Absent: the body is empty. */
  readonly body?: Uint8Array;
}

export class ServerLink {
  readonly #port: MessagePort;
  readonly #state: Int32Array;
  readonly #loaded = new Set<string>();

  constructor(port: MessagePort, memory: SharedArrayBuffer) {
    this.#port = port;
    this.#state = new Int32Array(memory);
  }

  /** The script computes from now on. */
  begin(): void {
    Atomics.store(this.#state, shared.waiting, 0);
  }

  /** Calls the API and waits. @throws LuaError when the server could not carry it out. */
  call(call: ApiCall): ApiResponse {
    Atomics.store(this.#state, shared.replied, 0);
    this.#send({ kind: 'call', ...call });
    this.waiting(() => Atomics.wait(this.#state, shared.replied, 0));
    const reply = receiveMessageOnPort(this.#port)?.message as Reply | undefined;
    if (reply?.kind !== 'answer') throw new LuaError(reply?.message ?? 'the server gave no answer');
    return reply;
  }

  /** Output appears in the order and at the time of printing. */
  print(text: Bytes): void {
    const shown = text.length > maxPrint ? `${text.slice(0, maxPrint)}\n... ${text.length - maxPrint} more bytes are not shown\n` : text;
    for (;;) {
      const outstanding = Atomics.load(this.#state, shared.outstanding);
      if (outstanding <= maxOutstanding) break;
      this.waiting(() => Atomics.wait(this.#state, shared.outstanding, outstanding));
    }
    // Own memory: a slice of the pool would be posted with all of the pool.
    const bytes = new Uint8Array(bufferOf(shown));
    Atomics.add(this.#state, shared.outstanding, bytes.length);
    this.#send({ kind: 'output', bytes });
  }

  /** Reports that the script loads a module of hooks. */
  loading(name: string): void {
    // A script can load a module over and over.
    if (this.#loaded.has(name)) return;
    this.#loaded.add(name);
    this.#send({ kind: 'module', name });
  }

  /** Waiting does not count as computing. */
  waiting<T>(work: () => T): T {
    Atomics.store(this.#state, shared.waiting, 1);
    try {
      return work();
    } finally {
      Atomics.store(this.#state, shared.waiting, 0);
    }
  }

  /** Waits some milliseconds. */
  sleep(milliseconds: number): void {
    this.waiting(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds));
  }

  #send(message: FromThread): void {
    this.#port.postMessage(message);
  }
}
