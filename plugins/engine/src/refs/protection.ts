/** Whether a branch may change: asked before every write, every commit and every merge. */
import { SrvError } from '@srv/kernel';
import type { BranchChange, Hooks } from '@srv/kernel';

type AskedChange = Omit<BranchChange, 'block'>;

export class Protection {
  readonly #hooks: Pick<Hooks, 'guardBranch'>;

  constructor(hooks: Pick<Hooks, 'guardBranch'>) {
    this.#hooks = hooks;
  }

  /** @param problem what the error begins with. @throws SrvError `protected`, with the reasons that the guards give. */
  async require(change: AskedChange, problem: string): Promise<void> {
    let blocked = false;
    const reasons: string[] = [];
    const block = (reason?: string): void => {
      blocked = true;
      if (reason !== undefined) reasons.push(reason);
    };
    await this.#hooks.guardBranch.promise({ ...change, block });
    if (blocked) throw new SrvError('protected', [problem, ...reasons].join(': '), { details: { branch: change.branch } });
  }
}
