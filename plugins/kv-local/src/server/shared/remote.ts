/** The database as a peer of its owner uses it: over one connection, for as long as that lasts. */
import { createConnection } from 'node:net';
import { SrvError, throwIfAborted } from '@srv/kernel';
import { FrameWriter } from './frame-writer.js';
import { FrameReader, ProtocolError, frameOf } from './frames.js';
import { greeting, isHandshakeValid } from './hello.js';
import { decodeResponses, encodeRequest, farewell, frameTargetBytes, maxHelloBytes, maxMessageBytes } from './messages.js';
import type { Socket } from 'node:net';
import type { Question, Reply, Response } from './messages.js';

/** The connection to the owner ended before the answer. */
export class OwnerGone extends Error {
  /** Whether the owner may have done what it was asked. */
  readonly mayHaveHappened: boolean;

  constructor(mayHaveHappened: boolean) {
    super('the process that has the database open has ended');
    this.mayHaveHappened = mayHaveHappened;
  }
}

/** The owner belongs to others. */
export class OtherGroup extends Error {}

interface Waiting {
  readonly bytes: Buffer;
  readonly isRead: boolean;
  readonly settle: (reply: Reply) => void;
  readonly fail: (error: unknown) => void;
  isSent: boolean;
}

/** The owner may be busy, but identifies itself within this many milliseconds. */
const helloMs = 10_000;
/** Milliseconds that the owner may take to end the connection, too. */
const farewellMs = 2000;
/** Bytes that the owner has not taken yet; with more, requests wait here. */
const maxAheadBytes = 1 << 20;
/** Bytes of writes that the owner has not answered; with more, writes wait here. It takes more than that, so reads pass them. */
const maxWriteBytes = 2 << 20;

export class RemoteStore {
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  /** Called once, when nothing more may be asked here. */
  onOver: (() => void) | undefined;
  readonly #socket: Socket;
  readonly #frames: FrameReader;
  readonly #out: FrameWriter;
  readonly #waiting = new Map<number, Waiting>();
  #unsent: Waiting[] = [];
  /** Reads of this turn by what they ask for: the same question is asked once. */
  readonly #gets = new Map<string, Promise<Reply>>();
  #writeBytes = 0;
  #lastId = farewell;
  #isDue = false;
  /** Nothing more may be sent. */
  #isOver = false;
  #onIdle: (() => void) | undefined;

  private constructor(socket: Socket, frames: FrameReader) {
    this.#socket = socket;
    this.#frames = frames;
    this.#frames.limit = frameTargetBytes + maxMessageBytes;
    this.#out = new FrameWriter(socket, () => this.#flush());
    this.closed = new Promise(resolve => {
      socket.once('close', () => {
        this.#end();
        resolve();
      });
    });
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('end', () => this.#stopSending());
  }

  /**
   * Connects to the owner that listens there. It drops an earlier connection of the same peer.
   * @throws OtherGroup when it refuses this process; the system's error when no process listens.
   */
  static async connect(path: string, group: string, peer: string): Promise<RemoteStore> {
    const socket = createConnection({ path, allowHalfOpen: true });
    const timer = setTimeout(() => socket.destroy(new Error('the owner of the database does not answer')), helloMs);
    try {
      return new RemoteStore(socket, await greet(socket, greeting(group, peer)));
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws OwnerGone, `cancelled`, or what the owner answers. */
  ask(question: Question, signal?: AbortSignal): Promise<Reply> {
    if (question.kind !== 'get' || signal) return this.#ask(question, signal);
    const name = `${question.partition.length} ${question.partition}${question.key.toString('latin1')}`;
    const known = this.#gets.get(name);
    if (known) return known;
    const asked = this.#ask(question);
    this.#gets.set(name, asked);
    return asked;
  }

  #ask(question: Question, signal?: AbortSignal): Promise<Reply> {
    throwIfAborted(signal);
    if (this.#isOver) return Promise.reject(new OwnerGone(false));
    this.#lastId = (this.#lastId % 0xffff_ffff) + 1;
    const id = this.#lastId;
    const bytes = encodeRequest(id, question);
    return new Promise((resolve, reject) => {
      const cancel = signal && (() => this.#cancel(id, signal));
      const done = (): void => {
        if (cancel) signal?.removeEventListener('abort', cancel);
        this.#waiting.delete(id);
        if (waiting.isSent && !waiting.isRead) this.#writeBytes -= bytes.length;
        if (this.#unsent.length > 0) this.#flushAtEndOfTurn();
        if (this.#waiting.size === 0) this.#onIdle?.();
      };
      const waiting: Waiting = {
        bytes,
        isRead: isRead(question),
        settle: reply => {
          done();
          resolve(reply);
        },
        fail: error => {
          done();
          reject(error);
        },
        isSent: false,
      };
      if (cancel) signal?.addEventListener('abort', cancel, { once: true });
      this.#waiting.set(id, waiting);
      this.#unsent.push(waiting);
      this.#flushAtEndOfTurn();
    });
  }

  /** Waits for the answers, and ends the connection. */
  async close(): Promise<void> {
    if (this.#waiting.size > 0) {
      await new Promise<void>(resolve => {
        this.#onIdle = resolve;
      });
    }
    this.#stopSending();
    const timer = setTimeout(() => this.#socket.destroy(), farewellMs);
    await this.closed;
    clearTimeout(timer);
  }

  /** What is asked in one turn of the event loop leaves in one write. */
  #flushAtEndOfTurn(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#flush();
    });
  }

  #flush(): void {
    // A later caller wants an answer that is not older.
    this.#gets.clear();
    if (this.#isOver || this.#unsent.length === 0) return;
    const left: Waiting[] = [];
    let writesWait = false;
    for (const waiting of this.#unsent) {
      const { isRead, bytes } = waiting;
      writesWait ||= !isRead && this.#writeBytes > 0 && this.#writeBytes + bytes.length > maxWriteBytes;
      if (this.#out.waitingBytes > maxAheadBytes || (writesWait && !isRead)) {
        left.push(waiting);
        continue;
      }
      waiting.isSent = true;
      if (!isRead) this.#writeBytes += bytes.length;
      this.#out.add(bytes);
    }
    this.#unsent = left;
    this.#out.flush();
  }

  #receive(chunk: Buffer): void {
    this.#frames.push(chunk);
    try {
      for (let payload = this.#frames.next(); payload; payload = this.#frames.next()) {
        for (const response of decodeResponses(payload)) this.#take(response);
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#socket.destroy();
    }
  }

  #take(response: Response): void {
    const waiting = this.#waiting.get(response.id);
    if (response.id === farewell) this.#stopSending();
    else if (response.kind === 'error') waiting?.fail(response.error);
    else if (response.kind === 'moved') waiting?.fail(new OwnerGone(false));
    else waiting?.settle(response);
  }

  /** A read ends at once. A write that was sent may have happened: its answer is awaited. */
  #cancel(id: number, signal: AbortSignal): void {
    const waiting = this.#waiting.get(id);
    if (!waiting || (waiting.isSent && !waiting.isRead)) return;
    if (!waiting.isSent) this.#unsent = this.#unsent.filter(other => other !== waiting);
    waiting.fail(new SrvError('cancelled', 'the request was cancelled', { cause: signal.reason }));
  }

  /** What has not been sent has certainly not happened. */
  #stopSending(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.onOver?.();
    for (const waiting of this.#unsent.splice(0)) waiting.fail(new OwnerGone(false));
    this.#socket.end();
  }

  #end(): void {
    this.#stopSending();
    for (const waiting of this.#waiting.values()) waiting.fail(new OwnerGone(true));
    this.#onIdle?.();
  }
}

/** @returns the stream of the owner that has made this process welcome. */
function greet(socket: Socket, hello: Buffer): Promise<FrameReader> {
  const frames = new FrameReader(maxHelloBytes);
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new OwnerGone(false));
    // Of an established connection the close says enough.
    socket.on('error', reject);
    socket.once('close', end).once('end', end);
    socket.once('connect', () => socket.write(frameOf([hello], hello.length)));
    const receive = (chunk: Buffer): void => {
      frames.push(chunk);
      const payload = nextOrNone(frames, reject);
      if (!payload) return;
      socket.off('data', receive).off('close', end).off('end', end);
      if (isHandshakeValid(payload)) resolve(frames);
      else reject(new OtherGroup('the database belongs to another group of processes'));
    };
    socket.on('data', receive);
  });
}

function nextOrNone(frames: FrameReader, fail: (error: unknown) => void): Buffer | undefined {
  try {
    return frames.next();
  } catch (error) {
    fail(error);
    return undefined;
  }
}

function isRead({ kind }: Question): boolean {
  return kind === 'get' || kind === 'page';
}
