/** The body of a request, whole. */
import { SrvError } from '@srv/kernel';
import type { IncomingMessage } from 'node:http';

/** Milliseconds a whole body may take. */
const bodyTimeoutMs = 60_000;

interface BodyLimits {
  /** Bytes. */
  readonly limit: number;
  /** The error for a longer body. */
  tooLarge(): Error;
  /** The error for one that takes more than a minute. */
  tooSlow(): Error;
}

/** @throws what `limits` makes; SrvError `cancelled` when the caller leaves. */
export async function readBody(request: IncomingMessage, { limit, tooLarge, tooSlow }: BodyLimits): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge();
  // Its events have been: listeners would wait for the time limit.
  if (request.destroyed && !request.readableEnded) throw endedEarly();
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(() => fail(tooSlow()), bodyTimeoutMs);
    const fail = (error: unknown): void => {
      clearTimeout(timer);
      request.off('data', take).off('end', end).off('close', close).pause();
      reject(error);
    };
    const take = (piece: Buffer): void => {
      length += piece.length;
      if (length > limit) fail(tooLarge());
      else pieces.push(piece);
    };
    const end = (): void => {
      clearTimeout(timer);
      request.off('close', close);
      resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
    };
    const close = (): void => fail(endedEarly());
    request.on('data', take).once('end', end).once('close', close);
  });
}

function endedEarly(): SrvError {
  return new SrvError('cancelled', 'the request ended before its body was complete');
}
