/** The body of a request as long as it is what the request announces; a longer one fails at its end, before anything refers to it. */
import { Transform } from 'node:stream';
import { SrvError } from '@srv/kernel';
import { hasBodyOverrun } from './body-overrun.js';
import type { Readable } from 'node:stream';

/** Milliseconds a body may stop. */
const defaultIdleLimit = 120_000;
/** Milliseconds that a body may take in all that is held in one piece, however evenly it comes: memory is held for it meanwhile. */
export const heldBodyTime = 120_000;

/** @returns a stream that fails with `invalid` for a longer body, `timeout` when the body stops for long, `cancelled` when it ends early. */
export function wholeBody(source: Readable, idleLimit = defaultIdleLimit): Readable {
  const idle = setTimeout(() => body.destroy(stopped(idleLimit)), idleLimit);
  const body = new Transform({
    transform(piece: Buffer, _, done) {
      idle.refresh();
      done(null, piece);
    },
    flush(done) {
      done(hasBodyOverrun(source) ? longer() : null);
    },
    destroy(error, done) {
      clearTimeout(idle);
      source.unpipe(body);
      source.off('close', ended);
      if (!source.readableEnded && !source.destroyed) source.pause();
      done(error);
    },
  });
  const ended = (): void => {
    if (!source.readableEnded) body.destroy(endedEarly());
  };
  // It may fail before the store has begun to listen: the store finds it destroyed then.
  body.on('error', () => undefined);
  source.once('close', ended);
  if (source.destroyed) ended();
  else source.pipe(body);
  return body;
}

/**
 * As {@link wholeBody}, in one piece: as a stream a small body would cost many times what it is worth.
 * @param size bytes announced.
 * @param totalLimit milliseconds for all of it, however evenly it comes.
 */
export function smallBody(source: Readable, size: number, totalLimit = heldBodyTime): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const late = setTimeout(() => fail(slow(totalLimit)), totalLimit);
    const fail = (error: unknown): void => {
      clearTimeout(late);
      source.off('data', add).off('end', end).off('error', fail).off('close', close);
      if (!source.readableEnded && !source.destroyed) source.pause();
      reject(error);
    };
    const add = (piece: Buffer): void => {
      pieces.push(piece);
      length += piece.length;
      if (length > size) fail(longer());
    };
    const end = (): void => {
      if (length < size) fail(endedEarly());
      else if (hasBodyOverrun(source)) fail(longer());
      else {
        clearTimeout(late);
        resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
      }
    };
    const close = (): void => {
      if (!source.readableEnded) fail(endedEarly());
    };
    if (source.destroyed) close();
    else source.on('error', fail).once('close', close).once('end', end).on('data', add);
  });
}

function endedEarly(): SrvError {
  return new SrvError('cancelled', 'the upload ended before its body was complete');
}

function stopped(idleLimit: number): SrvError {
  return new SrvError('timeout', `the body of the request stalled for ${idleLimit / 1000} seconds; send it again`);
}

function slow(totalLimit: number): SrvError {
  return new SrvError('timeout', `the body of the request did not arrive within ${totalLimit / 1000} seconds; send it again`);
}

function longer(): SrvError {
  return new SrvError('invalid', 'the body is longer than its Content-Length says; nothing was stored');
}
