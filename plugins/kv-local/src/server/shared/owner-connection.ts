/** One peer's connection, at the owner of the database. */
import { messageOf } from '@srv/kernel';
import { FrameWriter } from './frame-writer.js';
import { FrameReader, frameOf } from './frames.js';
import { answerTo, peerOf } from './hello.js';
import { decodeRequests, encodeResponse, farewell, frameTargetBytes, maxHelloBytes, maxMessageBytes, replyOfError } from './messages.js';
import { replyLater } from './reply.js';
import type { Socket } from 'node:net';
import type { Logger } from '@srv/kernel';
import type { LocalKvStore } from '../store.js';
import type { Reply, Request } from './messages.js';

interface ConnectionOptions {
  readonly store: LocalKvStore;
  readonly group: string;
  readonly log: Logger;
  /** Called before the peer is welcome, which it is when this resolves. */
  readonly onGreeting: (peer: string) => Promise<void>;
}

/** Requests answered before others of this process get a turn. */
const turnRequests = 400;
/** Answers that wait for the peer to read them, and writes that wait for the disk; with more, nothing is read from it. */
const maxOwedBytes = 4 << 20;
/** A process that connects identifies itself within this many milliseconds. */
const helloMs = 10_000;
/** Milliseconds that a peer may take to read its last answers. */
const farewellMs = 2000;

export class OwnerConnection {
  readonly closed: Promise<void>;
  /** Resolves when the connection is closed and what was asked on it has been done. */
  readonly ended: Promise<void>;
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #frames = new FrameReader(maxHelloBytes);
  readonly #out: FrameWriter;
  #isKnown = false;
  /** The peer has said who it is, and has to wait for its welcome. */
  #isWaiting = false;
  /** Requests of the frame in work. */
  #requests: Iterator<Request> | undefined;
  #isPumping = false;
  #isFinishing = false;
  /** The peer asks for nothing more. */
  #hasEnded = false;
  /** Bytes, and number, of requests that are not answered yet. */
  #owedBytes = 0;
  #owed = 0;
  #onIdle: (() => void)[] = [];

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#out = new FrameWriter(socket, () => this.#pump());
    this.closed = new Promise(resolve => socket.once('close', () => resolve()));
    const timer = setTimeout(() => this.#isKnown || socket.destroy(), helloMs).unref();
    void this.closed.then(() => clearTimeout(timer));
    this.ended = this.closed.then(() => this.#untilIdle());
    // What matters of an error is the close that follows it.
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.#frames.push(chunk);
      this.#pump();
    });
    socket.on('end', () => {
      this.#hasEnded = true;
      this.#pump();
    });
  }

  /** Ends the connection: what has not been read of it does not happen any more. */
  drop(): void {
    this.#socket.destroy();
  }

  /** Answers what was asked, refuses what the peer sends until it hears of the end, and closes the connection. */
  async finish(): Promise<void> {
    this.#isFinishing = true;
    if (!this.#isKnown) this.#socket.destroy();
    this.#out.add(encodeResponse(farewell, { kind: 'moved' }));
    this.#out.flush();
    await Promise.race([this.#untilIdle(), this.closed]);
    const timer = setTimeout(() => this.#socket.destroy(), farewellMs);
    await this.closed;
    clearTimeout(timer);
  }

  /** Works on what has arrived, as far as memory and other work of this process allow. */
  #pump(): void {
    if (this.#isPumping || this.#isWaiting || this.#socket.destroyed) return;
    this.#isPumping = true;
    try {
      for (let handled = 0; ; handled++) {
        if (this.#owedBytes + this.#out.waitingBytes > maxOwedBytes) {
          // Resumed when an answer is sent or read.
          this.#socket.pause();
          break;
        }
        if (handled >= turnRequests) {
          this.#socket.pause();
          setImmediate(() => this.#pump());
          break;
        }
        const request = this.#next();
        if (!request) {
          if (this.#isWaiting) this.#socket.pause();
          else this.#socket.resume();
          this.#endAfterAnswers();
          break;
        }
        this.#answer(request);
      }
    } catch (error) {
      this.#options.log.warn(
        { error: messageOf(error) },
        'a connection to the embedded database was closed: what it sent is not a request',
      );
      this.#socket.destroy();
    } finally {
      this.#isPumping = false;
      this.#out.flush();
    }
  }

  #next(): Request | undefined {
    for (;;) {
      const next = this.#requests?.next();
      if (next && !next.done) return next.value;
      const payload = this.#frames.next();
      this.#requests = undefined;
      if (!payload) return undefined;
      if (!this.#isKnown) {
        this.#greet(payload);
        return undefined;
      }
      this.#requests = decodeRequests(payload);
    }
  }

  #greet(payload: Buffer): void {
    const peer = peerOf(payload, this.#options.group);
    const answer = answerTo(peer !== undefined);
    const frame = frameOf([answer], answer.length);
    if (peer === undefined) {
      this.#frames.limit = 0;
      this.#socket.end(frame);
      return;
    }
    this.#isWaiting = true;
    this.#owe(0, 1);
    void this.#options.onGreeting(peer).then(() => {
      this.#isWaiting = false;
      this.#owe(0, -1);
      if (this.#socket.destroyed) return;
      this.#isKnown = true;
      this.#frames.limit = frameTargetBytes + maxMessageBytes;
      this.#socket.write(frame);
      this.#pump();
    });
  }

  #answer(request: Request): void {
    const { store } = this.#options;
    const known = this.#isFinishing ? ({ kind: 'moved' } as const) : replyAtOnce(store, request);
    if (known) {
      this.#send(request.id, known);
      return;
    }
    const bytes = costOf(request);
    this.#owe(bytes, 1);
    void replyLater(store, request)
      .catch(replyOfError)
      .then(reply => {
        this.#owe(-bytes, -1);
        if (this.#socket.destroyed) return;
        this.#send(request.id, reply);
        this.#out.flushSoon();
        if (this.#socket.isPaused() || this.#hasEnded) setImmediate(() => this.#pump());
      });
  }

  #endAfterAnswers(): void {
    if (!this.#hasEnded || this.#owed > 0) return;
    this.#out.flush();
    this.#socket.end();
  }

  #send(id: number, result: Reply): void {
    let message: Buffer;
    try {
      message = encodeResponse(id, result);
    } catch (error) {
      message = encodeResponse(id, replyOfError(error));
    }
    this.#out.add(message);
  }

  #owe(bytes: number, requests: number): void {
    this.#owedBytes += bytes;
    this.#owed += requests;
    if (this.#owed > 0) return;
    setImmediate(() => {
      for (const resolve of this.#onIdle.splice(0)) resolve();
    });
  }

  async #untilIdle(): Promise<void> {
    while (this.#owed > 0) await new Promise<void>(resolve => this.#onIdle.push(resolve));
  }
}

const recordBytes = 1024;

/** Bytes that a request which is not answered at once, or its answer, may occupy, roughly. */
function costOf(request: Request): number {
  if (request.kind === 'set' || request.kind === 'setIf') return request.value.length + recordBytes;
  return request.kind === 'page' ? Math.min(request.size || recordBytes, recordBytes) * recordBytes : recordBytes;
}

/** What memory answers; `undefined` for what takes a disk or a thread. */
function replyAtOnce(store: LocalKvStore, request: Request): Reply | undefined {
  try {
    if (!store.isOpen) return undefined;
    if (request.kind === 'get') return { kind: 'value', value: store.valueOf(request.partition, request.key) };
    if (request.kind === 'page' && store.isEmptyFrom(request.partition, request.start))
      return { kind: 'page', page: { entries: [], isLast: true } };
    return undefined;
  } catch (error) {
    return replyOfError(error);
  }
}
