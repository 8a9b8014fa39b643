/** Whether a branch may change: asked before every write and every commit. */
import type { Hooks } from '@srv/kernel';
import type { BlockedAction, Repository } from './contract.js';

export class Protection {
  readonly #hooks: Pick<Hooks, 'guardBranch'>;

  constructor(hooks: Pick<Hooks, 'guardBranch'>) {
    this.#hooks = hooks;
  }

  async isBlocked(repository: Repository, branch: string, ...actions: BlockedAction[]): Promise<boolean> {
    let blocked = false;
    const block = (): void => {
      blocked = true;
    };
    await this.#hooks.guardBranch.promise({ repository, branch, actions, block });
    return blocked;
  }
}
