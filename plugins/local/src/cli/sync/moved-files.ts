/** Objects that a directory no longer has at their path, for files that have appeared elsewhere with their contents. */
import { md5Of } from '@srv/engine/transfer';
import type { PathState } from './compare.js';
import type { RemoteEntry } from './remote-tree.js';

export class MovedFiles {
  readonly #sizes = new Set<number>();
  readonly #objects = new Map<string, RemoteEntry>();

  /** @param states of the comparison: those that the directory has removed count. */
  constructor(states: readonly PathState[]) {
    for (const { local, target } of states) {
      const md5 = local === undefined && target?.link === undefined ? md5Of(target?.checksum) : undefined;
      // An empty object costs no more to send than to copy.
      if (!target || md5 === undefined || target.size === 0) continue;
      this.#sizes.add(target.size);
      this.#objects.set(nameOf(target.size, md5), target);
    }
  }

  /** Whether a file of this size may be one of them: whether it is worth reading. */
  mayHave(size: number): boolean {
    return this.#sizes.has(size);
  }

  find(size: number, md5: string): RemoteEntry | undefined {
    return this.#objects.get(nameOf(size, md5));
  }
}

function nameOf(size: number, md5: string): string {
  return `${size} ${md5}`;
}
