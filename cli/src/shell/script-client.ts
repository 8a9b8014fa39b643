/** The typed client as JavaScript of the shell has it: with or without `await`, and with words for calls that are wrong. */
import { engineShapes } from '@srv/engine/client';
import { checkMembers, explained } from './operation-help.js';
import type { Client } from '../client.js';

type Call = (input?: unknown, options?: unknown) => Promise<unknown>;

/** @returns what `await` makes a client of, and what has the client's methods already. */
export function scriptClient(connected: Promise<Client>): Promise<Client> & Client {
  const checked = connected.then(checkedClient);
  // The failure is that of the call, or of its `await`.
  checked.catch(() => {});
  return new Proxy(checked as Promise<Client> & Client, {
    get(target, name) {
      if (name in target) {
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      }
      return async (...input: Parameters<Call>) => (Reflect.get(await checked, name) as Call)(...input);
    },
  });
}

function checkedClient(client: Client): Client {
  return new Proxy(client, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof name !== 'string' || typeof member !== 'function' || ['then', 'call', 'close'].includes(name)) return member;
      return async (input: unknown = {}, options?: unknown) => {
        const shape = engineShapes[name];
        if (shape) checkMembers(shape, Object(input) as object);
        try {
          return await (member as Call).call(target, input, options);
        } catch (error) {
          throw await explained(error, name, input);
        }
      };
    },
  });
}
