/** A service that takes name and password as JSON. */
import { randomUUID } from 'node:crypto';
import { SrvError, messageOf } from '@srv/kernel';
import { currentRequest, readText } from '@srv/lib-api/http';
import type { AccessKey } from '@srv/kernel';
import type { Authenticator } from './authenticator.js';

const largestAnswer = 64 * 1024;

export class HttpAuthenticator implements Authenticator {
  readonly #endpoint: string;
  readonly #timeout: number;

  /** @param timeout milliseconds. */
  constructor(endpoint: string, timeout: number) {
    this.#endpoint = endpoint;
    this.#timeout = timeout;
  }

  async authenticate({ accessKeyId: username, secretAccessKey: password }: AccessKey): Promise<string | undefined> {
    const headers = { 'content-type': 'application/json', 'x-request-id': currentRequest()?.requestId ?? randomUUID() };
    const signal = AbortSignal.timeout(this.#timeout);
    try {
      // A redirect would take the password elsewhere.
      const response = await fetch(this.#endpoint, {
        method: 'POST',
        headers,
        signal,
        redirect: 'manual',
        body: JSON.stringify({ username, password }),
      });
      if (!response.ok) {
        await response.body?.cancel();
        if (response.status >= 400 && response.status < 500 && response.status !== 408 && response.status !== 429) return undefined;
        throw new Error(`status ${response.status}`);
      }
      return nameIn(await readText(response, largestAnswer)) || username;
    } catch (error) {
      const cause = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
      throw new SrvError('unavailable', `auth.remote_authenticator.endpoint: ${messageOf(error)}${cause}`, { cause: error });
    }
  }
}

/** Empty when the service knows no other name than the one given. */
function nameIn(text: string): string {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error('the answer is not JSON');
  }
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) throw new Error('the answer is not a JSON object');
  const { external_user_identifier: name = '' } = answer as { external_user_identifier?: unknown };
  if (name !== null && typeof name !== 'string') throw new Error('external_user_identifier is not a text');
  return name ?? '';
}
