/** A body as a stream: what arrives is counted and hashed on its way. */
import { Readable } from 'node:stream';
import { S3Error, asS3Error } from '../protocol/errors.js';
import { ClientTimer } from './client-timer.js';
import { UsedMemory } from './used-memory.js';
import type { BodyCheck } from './body-check.js';

/** Bytes held for a reader that is slower than the client. */
const heldBytes = 128 << 10;

/**
 * Reads nothing until it is read itself, so that no failure precedes its listener. The source outlives it: the
 * connection is still needed for the answer.
 */
export class Verifier extends Readable {
  readonly #source: Readable;
  readonly #idleLimit: number;
  readonly #check: BodyCheck;
  readonly #memory = new UsedMemory();
  #client: ClientTimer | undefined;
  /** Hashing lags behind. */
  #isBehind = false;
  #isWanted = false;
  #ended = false;

  constructor(source: Readable, idleLimit: number, check: BodyCheck) {
    super({ highWaterMark: heldBytes });
    this.#source = source;
    this.#idleLimit = idleLimit;
    this.#check = check;
  }

  /** A piece, or a part of it, that the reader has done with; in order. */
  takeBack(piece: Buffer): void {
    this.#memory.read(piece.length);
    this.#memory.hashed(this.#check.hashed);
  }

  override _read(): void {
    this.#isWanted = true;
    if (this.#client) this.#continue();
    else this.#start();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#client?.close();
    this.#check.abandon();
    this.#source.off('data', this.#take).off('end', this.#end).off('close', this.#gone);
    if (!this.#source.readableEnded && !this.#source.destroyed) this.#source.pause();
    done(error);
  }

  #start(): void {
    this.#client = new ClientTimer(this.#idleLimit, () => this.destroy(new S3Error('RequestTimeout')));
    this.#source.once('close', this.#gone);
    if (this.#source.destroyed) this.#gone();
    else this.#source.once('end', this.#end).on('data', this.#take);
  }

  readonly #gone = (): void => {
    if (!this.#source.readableEnded) this.destroy(new S3Error('IncompleteBody'));
  };

  readonly #take = (bytes: Buffer): void => {
    let behind: Promise<void> | undefined;
    this.#client?.wait();
    try {
      for (const piece of this.#check.take(bytes)) {
        behind = this.#check.note(piece);
        this.#memory.arrived(piece.length);
        this.#isWanted = this.push(piece);
      }
      this.#memory.holds(bytes);
    } catch (error) {
      this.destroy(asS3Error(error));
      return;
    }
    if (behind) this.#wait(behind);
    if (this.#isBehind || !this.#isWanted) this.#pause();
  };

  readonly #end = (): void => {
    this.#client?.close();
    this.#ended = true;
    try {
      const verdict = this.#check.finish();
      if (!verdict) this.push(null);
      else
        verdict.then(
          () => this.push(null),
          (error: unknown) => this.destroy(asS3Error(error)),
        );
    } catch (error) {
      this.destroy(asS3Error(error));
    }
  };

  #wait(behind: Promise<void>): void {
    this.#isBehind = true;
    behind.then(
      () => {
        this.#isBehind = false;
        this.#continue();
      },
      (error: unknown) => this.destroy(asS3Error(error)),
    );
  }

  /** The time that a client may take does not run while the server is busy. */
  #pause(): void {
    this.#client?.hold();
    this.#source.pause();
  }

  #continue(): void {
    if (this.#ended || this.destroyed || this.#isBehind || !this.#isWanted || !this.#source.isPaused()) return;
    this.#client?.wait();
    this.#source.resume();
  }
}
