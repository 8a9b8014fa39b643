/** The socket by which `srv repl` reaches a server that runs, and the messages on it: lines of JSON. */
import { createInterface } from 'node:readline';
import type { Socket } from 'node:net';
import type { Kernel } from '@srv/kernel';

/** From `srv repl`. */
export type ToServer =
  | { readonly kind: 'run'; readonly text: string; readonly file: string; readonly keepGoing: boolean }
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'interrupt' };

/** From the server. Bytes are in base64. */
export type ToShell =
  | { readonly kind: 'output' | 'errors'; readonly bytes: string }
  | { readonly kind: 'more' }
  | { readonly kind: 'done'; readonly exitCode: number; readonly leaves: boolean; readonly place: string };

/** Next to the embedded database, which one server alone can open. @returns `undefined` for a database that several open. */
export function socketPath({ config }: Kernel): string | undefined {
  const values = new Map(config.show().map(({ key, value }) => [key, value]));
  const folder = values.get('database.local.path');
  return values.get('database.type') === 'local' && typeof folder === 'string' ? `${folder}.repl` : undefined;
}

export function send(socket: Socket, message: ToServer | ToShell): void {
  if (socket.writable) socket.write(`${JSON.stringify(message)}\n`);
}

/** Both ends run the same program as the same user: a line that is not JSON ends the connection. */
export async function* messages<M extends ToServer | ToShell>(socket: Socket): AsyncGenerator<M> {
  for await (const line of createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })) yield JSON.parse(line) as M;
}
