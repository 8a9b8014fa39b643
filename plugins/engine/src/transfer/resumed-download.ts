/** The bytes of a range of an object, written to a file over as many connections as it takes. */

import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAnswerError } from '@srv/lib-commands';
import { FileWriter } from './file-writer.js';
import { SignedRequestError, isRefusalStatus } from './signed-url.js';
import type { Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/** Attempts, waits and time-outs of downloads. */
export interface ResumeLimits {
  readonly signal: AbortSignal;
  /** Attempts in a row that bring no byte. */
  readonly attempts: number;
  /** Milliseconds without a byte after which a connection counts as broken. Default: one minute. */
  readonly idleMs?: number;
}

interface ResumedDownload extends ResumeLimits {
  readonly handle: FileHandle;
  /** First byte, and the one after the last; absent: to the end of the body. */
  readonly start: number;
  readonly end?: number | undefined;
  /**
   * Asks for the bytes from `from` on. @throws Restart when the object is another one by now.
   * @param signal ends the request when no byte arrives in time.
   */
  readonly open: (from: number, signal: AbortSignal) => Promise<Readable>;
  readonly onBytes: (count: number) => void;
  /** Updated with what arrives; absent from the second connection on, which may repeat bytes. */
  readonly hash?: Hash | undefined;
}

/** What was received so far belongs to an object that has been replaced. */
export class Restart extends Error {}

const usualIdleMs = 60_000;
const firstWaitMs = 100;
const longestWaitMs = 5000;

/** @returns bytes written, and whether more than one connection wrote them. @throws the error of the last attempt. */
export async function downloadResumed(options: ResumedDownload): Promise<{ readonly bytes: number; readonly isResumed: boolean }> {
  const { start, end, attempts, signal } = options;
  let from = start;
  for (let failures = 0, connections = 1; ; connections++) {
    const before = from;
    try {
      from = await once(options, from, connections === 1);
      if (end !== undefined && from < end) throw new Error(`the connection ended ${end - from} bytes early`);
      return { bytes: from - start, isResumed: connections > 1 };
    } catch (error) {
      from = error instanceof Interrupted ? error.reached : from;
      const cause: unknown = error instanceof Interrupted ? error.cause : error;
      failures = from > before ? 1 : failures + 1;
      if (isFinal(cause) || signal.aborted || failures >= attempts) throw cause;
      await sleep(Math.min(firstWaitMs * 2 ** (failures - 1), longestWaitMs), undefined, { signal });
    }
  }
}

/** Answers of a server and refusals of an object store are final; a broken connection is not. */
export function isFinal(error: unknown): boolean {
  return isAnswerError(error) || error instanceof Restart || (error instanceof SignedRequestError && isRefusalStatus(error.statusCode));
}

/** A connection that broke, and the first byte that it did not bring. */
class Interrupted extends Error {
  readonly reached: number;

  constructor(reached: number, cause: unknown) {
    super('interrupted', { cause });
    this.reached = reached;
  }
}

/** One connection. @returns the first byte after those it brought. */
async function once(options: ResumedDownload, from: number, isFirst: boolean): Promise<number> {
  const { handle, open, onBytes, hash, signal } = options;
  const idle = new IdleLimit(options.idleMs ?? usualIdleMs);
  const writer = new FileWriter(handle, { position: from, onBytes, hash: isFirst ? hash : undefined });
  try {
    const both = AbortSignal.any([signal, idle.signal]);
    const body = await open(from, both);
    // It may fail before the pipeline listens, which finds it destroyed then.
    body.on('error', () => undefined);
    body.on('data', () => idle.postpone());
    await pipeline(body, writer, { signal: both });
    return from + writer.bytesWritten;
  } catch (error) {
    throw new Interrupted(from + (await writer.settle()), idle.signal.aborted ? idle.signal.reason : error);
  } finally {
    idle.stop();
  }
}

/** Asks for something that begins to arrive in time. @throws Error when it does not. */
export async function openInTime<T>({ signal, idleMs = usualIdleMs }: ResumeLimits, open: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const idle = new IdleLimit(idleMs);
  try {
    return await open(AbortSignal.any([signal, idle.signal]));
  } catch (error) {
    throw idle.signal.aborted ? idle.signal.reason : error;
  } finally {
    idle.stop();
  }
}

/** A whole body; one that stops sending is given up. */
export async function readBody({ idleMs = usualIdleMs }: ResumeLimits, body: Readable): Promise<Buffer> {
  const idle = new IdleLimit(idleMs);
  idle.signal.addEventListener('abort', () => body.destroy(idle.signal.reason as Error), { once: true });
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      idle.postpone();
      chunks.push(chunk);
    }
  } finally {
    idle.stop();
  }
  return Buffer.concat(chunks);
}

class IdleLimit {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#timer = setTimeout(() => this.#controller.abort(new Error(`no byte arrived for ${ms / 1000} s`)), ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  postpone(): void {
    this.#timer.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
