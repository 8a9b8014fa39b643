/** A client that reads as usual and only notes what it would change. */
import { operations } from '@srv/api/operations';
import type { Client } from '../client.js';

/** Commands that change files of this machine, or do more than call the server: not run at all. */
export const localEffects: ReadonlySet<string> = new Set([
  'bisect run',
  'config',
  'docs',
  'fs download',
  'refs-dump',
  'refs-restore',
  'local checkout',
  'local clone',
  'local commit',
  'local init',
  'local pull',
]);

/** Ends a command at its first change. */
export class NotDone extends Error {}

/** @param note is told each change: the operation and its input. */
export function readOnly(client: Client, note: (change: string) => void): Client {
  return new Proxy(client, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      const operation = Object.values(operations).find(o => o.operationId === name);
      if (operation === undefined || operation.method === 'GET' || operation.method === 'HEAD') return member;
      return async (input: Readonly<Record<string, unknown>> = {}) => {
        note(`${operation.operationId} ${JSON.stringify(input, (_key, value: unknown) => (isContent(value) ? '(content)' : value))}`);
        throw new NotDone(`${operation.operationId} was not called`);
      };
    },
  });
}

function isContent(value: unknown): boolean {
  return typeof value === 'function' || (typeof value === 'object' && value !== null && 'pipe' in value);
}
