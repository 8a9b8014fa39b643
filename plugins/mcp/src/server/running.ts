/** Requests under way that a client may cancel by a message of its own: those of the older revisions, on this server. */
import { randomUUID } from 'node:crypto';
import type { FaceRequest } from '@srv/lib-api/http';
import type { RequestId } from './protocol/errors.js';

const header = 'mcp-session-id';

/**
 * A session of those revisions is a name alone, without which the ids of two clients of one user could not be distinguished. Nothing
 * is kept for it: every name is accepted.
 */
export const newSession = (): Readonly<Record<string, string>> => ({ 'Mcp-Session-Id': randomUUID() });

export class RunningRequests {
  readonly #running = new Map<string, AbortController>();

  /** Runs what ends when the caller leaves, or cancels it. */
  async run<T>(face: FaceRequest, id: RequestId, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const key = keyOf(face, id);
    if (key === undefined) return work(face.signal);
    const cancelled = new AbortController();
    this.#running.set(key, cancelled);
    try {
      return await work(AbortSignal.any([face.signal, cancelled.signal]));
    } finally {
      if (this.#running.get(key) === cancelled) this.#running.delete(key);
    }
  }

  /** Does nothing for a request that has ended, or that runs elsewhere. */
  cancel(face: FaceRequest, id: RequestId): void {
    const key = keyOf(face, id);
    if (key !== undefined) this.#running.get(key)?.abort();
  }
}

function keyOf({ exchange, user }: FaceRequest, id: RequestId): string | undefined {
  const session = exchange.request.headers[header];
  return typeof session === 'string' ? JSON.stringify([user.username, session, id]) : undefined;
}
