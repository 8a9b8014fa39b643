/** A process that has the database open and only serves its peers: for tests that kill it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ClassicLevel as Level } from 'classic-level';
import { openSharedKvStore } from '../server/open.js';
import { addressName, socketName } from '../server/shared/address.js';
import type { ChildProcess } from 'node:child_process';
import type { Server, Socket } from 'node:net';
import type { KvStore } from '@srv/kernel';

/** The group of all processes of a test. */
export const group = 'peers of a test';

/** @param mayOwn whether the store may open the database when its owner ends. */
export function openPeer(path: string, mayOwn = true, timeoutMs = 30_000): Promise<KvStore> {
  return openSharedKvStore({ path, group, syncWrites: true, prefetchSize: 256, mayOwn, timeoutMs });
}

export class OwnerProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = once(child, 'exit');
  }

  /** Returns when it serves. @param disk `slow`: one write in five takes 60 ms longer. */
  static async start(path: string, disk: 'slow' | 'fast' = 'fast'): Promise<OwnerProcess> {
    const owner = new OwnerProcess(fork(fileURLToPath(import.meta.url), ['own', path, disk]));
    const [told] = (await Promise.race([once(owner.#child, 'message'), owner.#exited])) as unknown[];
    if (told !== 'open') throw new Error('the owner of the database could not start');
    // A test that fails before it ends the owner must not wait for it.
    owner.#child.unref();
    owner.#child.channel?.unref();
    return owner;
  }

  /** It ends without notice. */
  async kill(): Promise<void> {
    this.#child.ref();
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** It closes its store. */
  async stop(): Promise<void> {
    this.#child.ref();
    this.#child.disconnect();
    await this.#exited;
  }

  /** Pauses or continues the process. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(name);
  }
}

/** Stands between the owner and the peers that connect from now on, until another owner starts. */
export class ConnectionCutter {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param at path of a socket that does not exist yet. */
  static async open(folder: string, at: string): Promise<ConnectionCutter> {
    const cutter: ConnectionCutter = new ConnectionCutter(
      createServer({ allowHalfOpen: true }, socket => {
        const owner = connect({ path: join(folder, socketName), allowHalfOpen: true });
        for (const end of [socket, owner]) {
          cutter.#sockets.add(end);
          end.on('error', () => undefined);
          end.on('close', () => cutter.cut([socket, owner]));
        }
        socket.pipe(owner);
        owner.pipe(socket);
      }),
    );
    cutter.#server.listen(at);
    await once(cutter.#server, 'listening');
    await writeFile(join(folder, addressName), at);
    return cutter;
  }

  /** Ends connections in the middle of whatever they carry. */
  cut(sockets: Iterable<Socket> = [...this.#sockets]): void {
    for (const socket of sockets) {
      socket.destroy();
      this.#sockets.delete(socket);
    }
  }

  async close(folder: string): Promise<void> {
    await rm(join(folder, addressName), { force: true });
    this.#server.close();
    this.cut();
  }
}

function slowDown(): void {
  const batch = Level.prototype.batch as (operations: unknown, options: unknown) => Promise<void>;
  let writes = 0;
  Object.assign(Level.prototype, {
    async batch(operations: unknown, options: unknown): Promise<void> {
      if (++writes % 5 === 0) await sleep(60);
      await batch.call(this, operations, options);
    },
  });
}

const [, program, role, path = '', disk] = process.argv;
if (role === 'own' && program === fileURLToPath(import.meta.url)) {
  if (disk === 'slow') slowDown();
  const store = await openPeer(path);
  process.once('disconnect', () => void store.close());
  process.send?.('open');
}
