/** Reads the JSON body of a plain request, with the answers the framework gives to a bad one. */
import { badRequest, clientTimeout, entityTooLarge } from '@hapi/boom';
import { SrvError } from '@srv/kernel';
import { parseJson } from './parse-json.js';
import type { IncomingMessage } from 'node:http';

/** Milliseconds a whole body may take. */
const bodyTimeoutMs = 60_000;

/**
 * @param limit bytes.
 * @returns `null` for a body without bytes.
 * @throws Boom 400 for what is not JSON or names a prototype, 408 for a slow body, 413 for a long one; SrvError `cancelled`.
 */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const body = await readAll(request, limit);
  if (body.length === 0) return null;
  try {
    return parseJson(body.toString('utf8'));
  } catch (error) {
    throw badRequest('Invalid request payload JSON format', error);
  }
}

function readAll(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(() => fail(clientTimeout()), bodyTimeoutMs);
    const fail = (error: unknown): void => {
      clearTimeout(timer);
      request.off('data', take).off('end', end).off('close', close).pause();
      reject(error);
    };
    const take = (piece: Buffer): void => {
      length += piece.length;
      if (length > limit) fail(tooLarge(limit));
      else pieces.push(piece);
    };
    const end = (): void => {
      clearTimeout(timer);
      request.off('close', close);
      resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
    };
    const close = (): void => fail(new SrvError('cancelled', 'the request ended before its body was complete'));
    request.on('data', take).once('end', end).once('close', close);
  });
}

function tooLarge(limit: number): Error {
  return entityTooLarge(`Payload content length greater than maximum allowed: ${limit}`);
}
