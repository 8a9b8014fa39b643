/** A client whose reads end with a signal. Changes do not: what undoes a half of one must still reach the server. */
import { engineShapes } from '@srv/engine/client';
import { pluginShapes } from '../plugins/plugin-operations.js';
import type { Client } from '../client.js';

type Call = (input?: unknown, options?: Readonly<Record<string, unknown>>) => unknown;

/** @param current asked for by every call; when it throws, the call is not made. */
export function cancelledReads(client: Client, current: () => AbortSignal | Promise<AbortSignal>): Client {
  const optionsFor = async (id: string, options: object | undefined): Promise<object | undefined> => {
    const signal = await current();
    const { method } = engineShapes[id] ?? (await pluginShapes())[id] ?? {};
    return method === 'GET' || method === 'HEAD' ? { signal, ...options } : options;
  };
  return new Proxy(client, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof name !== 'string' || typeof member !== 'function' || name === 'then' || name === 'close') return member;
      if (name === 'call')
        return async (...[id, input, options]: Parameters<Client['call']>) => target.call(id, input, await optionsFor(id, options));
      return async (input?: unknown, options?: object) => (member as Call).call(target, input, { ...(await optionsFor(name, options)) });
    },
  });
}
