/**
 * Groups that users are to join whom their first login creates. They are noted before the user is there and until it has joined
 * them: what a first login leaves undone that stops halfway, the next one does.
 */
import { keyPart } from './key-part.js';
import type { KvStore } from '@srv/kernel';

/** Whom a note is for. Users of the name whom others authenticate are not meant. */
interface Newcomer {
  /** Who authenticates the user. */
  readonly source: string;
  /** Name of the user there. */
  readonly id: string;
}

const partition = 'auth';

export class PendingGroups {
  readonly #kv: KvStore;

  constructor(kv: KvStore) {
    this.#kv = kv;
  }

  /** Before the user is created. */
  async note(newcomer: Newcomer, groups: readonly string[]): Promise<void> {
    if (groups.length === 0) await this.#kv.delete(partition, keyOf(newcomer));
    else await this.#kv.set(partition, keyOf(newcomer), Buffer.from(JSON.stringify(groups), 'utf8'));
  }

  /** At each login, once the user is there. @param join may find that the user is a member already. */
  async complete(newcomer: Newcomer, join: (groups: readonly string[]) => Promise<void>): Promise<void> {
    const noted = await this.#kv.get(partition, keyOf(newcomer));
    if (!noted) return;
    await join(JSON.parse(noted.value.toString('utf8')) as string[]);
    await this.#kv.delete(partition, keyOf(newcomer));
  }
}

function keyOf({ source, id }: Newcomer): Buffer {
  return Buffer.from(`pendingGroups/${keyPart(source)}/${keyPart(id)}`, 'utf8');
}
