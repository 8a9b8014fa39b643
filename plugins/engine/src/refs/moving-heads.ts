/**
 * Heads that are about to move, in memory: if this program alone uses the database, that saves every merge the record by which
 * other programs would notice (`head-update.ts`). A head moves so only while no write is under way that relies on what its
 * branch shows. A write that comes meanwhile waits for the move, or takes the note back.
 */
import { partitionOf } from '@srv/lib-records';
import type { Repository } from './contract.js';

/** Milliseconds that a write which relies on what the branch shows waits for a head that is about to move. */
export const headMovePatience = 2000;

interface Note {
  state: 'noted' | 'taken back' | 'moving';
  end: Promise<void>;
}

interface Head {
  /** Writes that rely on what the branch shows, under way or waiting. */
  writers: number;
  note: Note | undefined;
}

export class MovingHeads {
  readonly #heads = new Map<string, Head>();
  readonly #patience: number;

  constructor(patience = headMovePatience) {
    this.#patience = patience;
  }

  /**
   * @param branch its {@link branchKey}.
   * @param move calls `keep` just before the branch record changes. False: a write has taken the note back, and nothing may change.
   * @returns `undefined`, and nothing was called, while something else is under way that concerns the head.
   */
  async whileNoted<T>(branch: string, move: (keep: () => boolean) => Promise<T>): Promise<T | undefined> {
    if (this.#heads.has(branch)) return undefined;
    const note: Note = { state: 'noted', end: Promise.resolve() };
    const head: Head = { writers: 0, note };
    this.#heads.set(branch, head);
    const moving = move(() => {
      if (note.state === 'noted') note.state = 'moving';
      return note.state === 'moving';
    });
    const ended = (): void => {
      head.note = undefined;
      this.#forget(branch, head);
    };
    note.end = moving.then(ended, ended);
    return moving;
  }

  /** Runs a write that relies on what the branch shows, which it reads within. */
  async relying<T>(branch: string, write: () => Promise<T>): Promise<T> {
    const head = this.#heads.get(branch) ?? { writers: 0, note: undefined };
    this.#heads.set(branch, head);
    head.writers++;
    try {
      if (head.note) await this.#passed(head.note);
      return await write();
    } finally {
      head.writers--;
      this.#forget(branch, head);
    }
  }

  async #passed(note: Note): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>(resolve => (timer = setTimeout(resolve, this.#patience)));
    await Promise.race([note.end, patience]);
    clearTimeout(timer);
    if (note.state === 'noted') note.state = 'taken back';
    else if (note.state === 'moving') await note.end;
  }

  #forget(branch: string, { writers, note }: Head): void {
    if (writers === 0 && !note) this.#heads.delete(branch);
  }
}

/** Names a branch among those of all repositories. */
export function branchKey(repository: Repository, branch: string): string {
  return `${partitionOf(repository)} ${branch}`;
}
