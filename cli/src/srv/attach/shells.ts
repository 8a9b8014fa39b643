/** Shells of `srv repl` inside a server that runs. */
import { unlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { Writable } from 'node:stream';
import { messageOf } from '@srv/kernel';
import { isInterruption } from '../../shell/interruptions.js';
import { messages, send, socketPath } from './socket.js';
import type { Server, Socket } from 'node:net';
import type { Kernel } from '@srv/kernel';
import type { ToServer } from './socket.js';

/** What errors call the program that is typed, and those that come as a whole. */
const file = 'srv-repl';
const files = [file, '--eval', 'standard input'];

export interface Shells {
  close(): void;
  /** Whether an unhandled error comes from what was typed, which an interrupt may have ended: the server stays. */
  takes(error: unknown): boolean;
}

/** Opens the socket, which its owner alone can use. A server without one serves, too: the reason is logged. */
export function serveShells(kernel: Kernel): Shells {
  const path = socketPath(kernel);
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    serveShell(kernel, socket).catch((error: unknown) => {
      if (!socket.destroyed) kernel.log.warn({ error }, 'the shell of srv repl ended');
      socket.destroy();
    });
  });
  const warn = (error: unknown): void => kernel.log.warn({ error: messageOf(error), path }, 'srv repl cannot attach to this server');
  server.on('error', warn);
  server.unref();
  if (path !== undefined) listen(server, path).catch(warn);
  return {
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
    takes: error => {
      if (isInterruption(error)) return true;
      const stack = typeof error === 'object' && error !== null && 'stack' in error ? String(error.stack) : '';
      const isTyped = files.some(name => stack.includes(` ${name}:`) || stack.includes(`(${name}:`));
      if (isTyped) for (const socket of sockets) send(socket, { kind: 'errors', bytes: encoded(`${messageOf(error)}\n`) });
      return isTyped;
    },
  };
}

async function listen(server: Server, path: string): Promise<void> {
  // What a server that was killed has left.
  if (await isStale(path)) unlinkSync(path);
  const before = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(before);
  }
}

function isStale(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
}

const encoded = (text: string | Uint8Array): string => Buffer.from(text as string).toString('base64');

async function serveShell(kernel: Kernel, socket: Socket): Promise<void> {
  const { openShell } = await import('./shell.js');
  const writing = (kind: 'output' | 'errors'): Writable =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        send(socket, { kind, bytes: encoded(chunk) });
        if (socket.writableNeedDrain) socket.once('drain', () => done());
        else done();
      },
    });
  const shell = await openShell(kernel, { output: writing('output'), errors: writing('errors'), file });
  socket.once('close', () => shell.close());
  for await (const message of messages<ToServer>(socket)) {
    if (message.kind === 'interrupt') shell.interrupt();
    // Not awaited: an interrupt has to be read meanwhile. The other end waits for the answer.
    else
      void shell.run(message).then(
        answer => send(socket, answer),
        (error: unknown) => socket.destroy(error instanceof Error ? error : new Error(messageOf(error))),
      );
  }
}
