/** Whether a branch may change: asked before every write and every commit. */
import type { BlockedAction, BranchGuard, Repository } from './contract.js';

export class Protection {
  #guard: BranchGuard = async () => false;

  guard(guard: BranchGuard): void {
    this.#guard = guard;
  }

  isBlocked(repository: Repository, branch: string, ...actions: BlockedAction[]): Promise<boolean> {
    return this.#guard(repository, branch, actions);
  }
}
