/** Serves the database of this process to its peers. */
import { chmod } from 'node:fs/promises';
import { createServer } from 'node:net';
import { prepareAddress, releaseAddress } from './address.js';
import { OwnerConnection } from './owner-connection.js';
import type { Server } from 'node:net';
import type { Logger } from '@srv/kernel';
import type { LocalKvStore } from '../store.js';

interface OwnerOptions {
  readonly store: LocalKvStore;
  /** Folder of the database, of which this process holds the lock. */
  readonly folder: string;
  /** Text that the peers have in common, and no other process has. */
  readonly group: string;
  readonly log: Logger;
}

export class Owner {
  readonly #folder: string;
  readonly #server: Server;
  readonly #connections = new Set<OwnerConnection>();
  /** The last connection of each peer that has said who it is, until what was asked on it has been done. */
  readonly #peers = new Map<string, OwnerConnection>();

  private constructor({ store, folder, group, log }: OwnerOptions) {
    this.#folder = folder;
    this.#server = createServer({ allowHalfOpen: true }, socket => {
      const connection: OwnerConnection = new OwnerConnection(socket, {
        store,
        group,
        log,
        onGreeting: async peer => {
          // A write of a connection that broke must not come after an answer to what was asked since.
          const earlier = this.#peers.get(peer);
          this.#peers.set(peer, connection);
          void connection.ended.then(() => this.#peers.get(peer) === connection && this.#peers.delete(peer));
          earlier?.drop();
          await earlier?.ended;
        },
      });
      this.#connections.add(connection);
      void connection.closed.then(() => this.#connections.delete(connection));
    });
    // Such as too many open files: the next peer may succeed.
    this.#server.on('error', error => log.warn({ error: error.message }, 'the embedded database cannot be offered to a peer'));
  }

  static async listen(options: OwnerOptions): Promise<Owner> {
    const path = await prepareAddress(options.folder);
    const owner = new Owner(options);
    await new Promise<void>((resolve, reject) => {
      owner.#server.once('error', reject);
      owner.#server.listen(path, () => {
        owner.#server.off('error', reject);
        resolve();
      });
    });
    await chmod(path, 0o600);
    // A process that only waits for peers has nothing to do.
    owner.#server.unref();
    return owner;
  }

  /** Takes nothing more; peers get the answers to what they asked. To be called before the database is closed. */
  async close(): Promise<void> {
    this.#server.close();
    await releaseAddress(this.#folder);
    await Promise.all([...this.#connections].map(connection => connection.finish()));
  }
}
