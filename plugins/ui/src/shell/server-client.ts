/** The typed client of the server for commands, made of one function that sends. */
import type { ApiResponse, CallOptions, Client } from '@srv/engine/client';

export type Send = (operationId: string, input: Readonly<Record<string, unknown>>, options: CallOptions) => Promise<ApiResponse<unknown>>;

/** @param signal ends whatever is under way; every call gets it. */
export function serverClient(send: Send, endpoint: URL, signal: AbortSignal): Client {
  const call = (id: string, input: Readonly<Record<string, unknown>> = {}, options: CallOptions = {}): Promise<ApiResponse<unknown>> =>
    send(id, input, { ...options, signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal });
  const members: Readonly<Record<string, unknown>> = { endpoint, call, close() {} };
  return new Proxy({} as Client, {
    get(_, name) {
      // A client is not a promise, even when it is awaited.
      if (typeof name !== 'string' || name === 'then') return undefined;
      if (Object.hasOwn(members, name)) return members[name];
      return async (input?: Readonly<Record<string, unknown>>, options?: CallOptions) => (await call(name, input, options)).data;
    },
  });
}
