/** Reads the JSON body of a plain request, with the answers the framework gives to a bad one. */
import { isUtf8 } from 'node:buffer';
import { badRequest, clientTimeout, entityTooLarge } from '@hapi/boom';
import { messageOf } from '@srv/kernel';
import { readBody } from '@srv/lib-api/http';
import { parseJson } from './parse-json.js';
import type { IncomingMessage } from 'node:http';

/**
 * @param limit bytes.
 * @returns `null` for a body without bytes.
 * @throws Boom 400 for what is not JSON or names a prototype, and for what is not UTF-8, as a name with replaced characters is another
 * one; 408 for a slow body, 413 for a long one; SrvError `cancelled`.
 */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const body = await readBody(request, { limit, tooLarge: () => tooLarge(limit), tooSlow: () => clientTimeout() });
  if (body.length === 0) return null;
  const value = parsed(body.toString('utf8'));
  // As the framework does, which reads the text first.
  if (!isUtf8(body)) throw notUtf8();
  return value;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw badJson(error);
  }
}

/** In the words of the framework where the text is not JSON. */
export function badJson(error: unknown): Error {
  const reason = error instanceof SyntaxError ? '' : `: ${messageOf(error)}`;
  return badRequest(`Invalid request payload JSON format${reason}`, error);
}

export function notUtf8(): Error {
  return badRequest('the body is not UTF-8');
}

function tooLarge(limit: number): Error {
  return entityTooLarge(`Payload content length greater than maximum allowed: ${limit}`);
}
