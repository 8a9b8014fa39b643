/** Adds a commit to a branch, with the events around it. */
import { SrvError } from '@srv/kernel';
import type { EventType } from '@srv/kernel';
import type { Commits, NewCommit } from './commits.js';
import type { ChangeOptions, Commit, Repository } from './contract.js';
import type { EventFacts, Events } from './events.js';
import type { HeadUpdate } from './head-update.js';
import type { StoredBranch } from './messages/index.js';

interface HeadAdvanceOptions {
  readonly commits: Commits;
  readonly events: Events;
}

/** What the refusal of a hook begins with, as clients compare it. */
const refusals: Readonly<Record<'commit' | 'merge' | 'revert' | 'cherry-pick', (branch: string) => string>> = {
  commit: () => '',
  merge: branch => `update branch ${branch}: `,
  revert: () => 'update branch: ',
  'cherry-pick': () => 'update branch: ',
};

/** What a merge takes from: the ref as requested, and its commit. */
interface MergeSource {
  readonly ref: string;
  readonly commitId: string;
}

interface Advance {
  readonly repository: Repository;
  /** Id. */
  readonly branch: string;
  readonly operation: 'commit' | 'merge' | 'revert' | 'cherry-pick';
  readonly request: ChangeOptions & { readonly committer: string };
  readonly draft: (branch: StoredBranch) => Promise<NewCommit>;
  readonly move: HeadUpdate['move'];
  /** Of a merge. */
  readonly merged?: MergeSource;
}

export class HeadAdvance {
  readonly #options: HeadAdvanceOptions;

  constructor(options: HeadAdvanceOptions) {
    this.#options = options;
  }

  /**
   * Adds the commit `draft` returns and moves the head to it. Merges ask their hook once the commit record exists, the
   * others before, so that theirs may be stored with the head.
   */
  async run({ repository, branch: branchId, operation, request, draft, move, merged }: Advance): Promise<Commit> {
    const { commits, events } = this.#options;
    const [before, after]: [EventType, EventType] = [`pre-${operation}`, `post-${operation}`];
    const facts = { branch: branchId, user: userOf(request), ...(merged ? { mergeSource: merged.ref } : {}) };
    const options = { caller: request, prefix: refusals[operation](branchId) };
    const ask = (more: EventFacts): Promise<string> => events.before(repository, before, more, options);
    let made: { commit: Commit; preRunId: string } | undefined;
    await move(repository, branchId, async branch => {
      const fresh = await draft(branch);
      const early = merged ? undefined : await ask({ sourceRef: branchId, commit: fresh, ...facts });
      const joint = merged ? undefined : commits.storedWithHead(repository, fresh);
      const commit = joint?.commit ?? (await commits.add(repository, fresh));
      const preRunId = early ?? (await ask({ sourceRef: merged?.commitId ?? commit.id, commit, commitId: commit.id, ...facts }));
      made = { commit, preRunId };
      return { commitId: commit.id, records: joint && [joint.record] };
    });
    if (!made) throw new SrvError('internal', `${operation} ended without a commit`);
    const { commit, preRunId } = made;
    events.after(repository, after, { sourceRef: commit.id, commit, commitId: commit.id, preRunId, ...facts });
    return commit;
  }
}

/** Who changes a branch, for its events. */
export function userOf({ user, committer }: ChangeOptions & { readonly committer: string }): string {
  return user ?? committer;
}

export function noChanges(operation: string): SrvError {
  return new SrvError('no_changes', `${operation}: no changes`);
}
