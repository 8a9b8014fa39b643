/**
 * Calls of services outside of this server. They are made by a second thread, started when a script makes the first one:
 * this one waits for the answer inside a function of Lua, where nothing asynchronous gets a turn.
 */
import { MessageChannel, Worker, receiveMessageOnPort } from 'node:worker_threads';
import { LuaError } from './lua-value.js';
import type { MessagePort } from 'node:worker_threads';
import type { OutsideCall, OutsideReply } from '../outside/protocol.js';
import type { ServerLink } from './server-link.js';

export class OutsideLink {
  readonly #link: ServerLink;
  readonly #replied = new Int32Array(new SharedArrayBuffer(4));
  readonly #maxBody: number;
  #port: MessagePort | undefined;

  constructor(link: ServerLink, maxBody: number) {
    this.#link = link;
    this.#maxBody = maxBody;
  }

  /** Makes a call and waits. @throws LuaError with what went wrong. */
  call(call: OutsideCall): unknown {
    this.#port ??= this.#start();
    Atomics.store(this.#replied, 0, 0);
    this.#port.postMessage(call);
    this.#link.waiting(() => Atomics.wait(this.#replied, 0, 0));
    const reply = receiveMessageOnPort(this.#port)?.message as OutsideReply | undefined;
    if (reply?.kind !== 'result') throw new LuaError(reply?.message ?? 'the call gave no answer');
    return reply.value;
  }

  #start(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(new URL('../outside/main.js', import.meta.url), {
      workerData: { port: port2, replied: this.#replied.buffer, maxBody: this.#maxBody },
      transferList: [port2],
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    worker.unref();
    return port1;
  }
}
