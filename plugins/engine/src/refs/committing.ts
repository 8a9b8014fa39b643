/** Operations that add new content to a branch: commit, import (versioning rules, section 6). */

import { SrvError } from '@srv/kernel';
import { checkBranchId, checkWritable } from '@srv/lib-records';
import { namespaceOf } from '@srv/lib-stores/block';
import { foldedRows, unfoldedTokens } from './folded-rows.js';
import { requireMetarange } from './given-metarange.js';
import { noChanges, userOf } from './head-advance.js';
import { dirtyBranch } from './head-update.js';
import { strategyKey } from './merge-strategy.js';
import { scanRows } from './staging.js';
import type { KvStore } from '@srv/kernel';
import type { CommittedStore } from '../tables/contract.js';
import type { Commits, NewCommit } from './commits.js';
import type { Commit, CommitRequest, ImportCommitRequest, Repository } from './contract.js';
import type { Events } from './events.js';
import type { HeadAdvance } from './head-advance.js';
import type { HeadUpdate } from './head-update.js';
import type { StoredBranch } from './messages/index.js';
import type { Pins } from './pins/pins.js';
import type { Protection } from './protection.js';

interface CommittingOptions {
  readonly kv: KvStore;
  readonly committed: CommittedStore;
  readonly commits: Commits;
  readonly protection: Protection;
  readonly head: HeadUpdate;
  readonly advance: HeadAdvance;
  readonly events: Events;
  readonly pins: Pins;
}

export class Committing {
  readonly #options: CommittingOptions;

  constructor(options: CommittingOptions) {
    this.#options = options;
  }

  async commit(repository: Repository, branchId: string, request: CommitRequest): Promise<Commit> {
    const { committed, protection, advance, head, events, pins } = this.#options;
    checkBranchId(branchId);
    await protection.require({ repository, branch: branchId, actions: ['commit'] }, 'cannot commit to protected branch');
    checkWritable(repository, request);
    if (request.sourceMetarange !== undefined) await requireMetarange(committed, repository, 'source_metarange', request.sourceMetarange);
    const draft = { committer: request.committer, message: request.message, metadata: { ...request.metadata } };
    const facts = { sourceRef: branchId, branch: branchId, user: userOf(request), commit: draft };
    await events.before(repository, 'prepare-commit', facts, { caller: request });
    return head.exclusively(repository, branchId, async () => {
      await head.seal(repository, branchId, async branch => {
        if (request.sourceMetarange === undefined || !(await head.isDirty(repository, branch))) return;
        throw new SrvError('dirty_branch', 'cannot use source MetaRange on a branch with uncommitted changes', {
          details: { branch: branchId },
        });
      });
      const content = request.sourceMetarange === undefined ? {} : { metaranges: [request.sourceMetarange] };
      const draft = (branch: StoredBranch): Promise<NewCommit> => this.#committed(repository, branch, request);
      const move = head.move.bind(head);
      const add = (): Promise<Commit> => advance.run({ repository, branch: branchId, operation: 'commit', request, draft, move });
      try {
        return await (request.sourceMetarange === undefined ? add() : pins.withPins(repository, content, add));
      } catch (error) {
        await head.compactSealed(repository, branchId).catch(() => {});
        throw error;
      }
    });
  }

  /** Imports run the events of a commit. */
  async import(repository: Repository, branchId: string, request: ImportCommitRequest): Promise<Commit> {
    const { advance, commits, head, committed, protection } = this.#options;
    checkBranchId(branchId);
    await protection.require({ repository, branch: branchId, actions: ['import'] }, 'cannot import into protected branch');
    checkWritable(repository, request);
    const { metarangeId: added, prefixes, keys, committer, message, metadata, date, expectedHead, signal } = request;
    const draft = async (branch: StoredBranch): Promise<NewCommit> => {
      checkHead(branch, expectedHead);
      const into = await commits.get(repository, branch.commitId);
      const replaced = {
        namespace: namespaceOf(repository),
        base: into.metarangeId,
        added,
        prefixes,
        keys,
        signal,
      };
      return {
        committer,
        message,
        metadata: { ...metadata, [strategyKey]: 'source-wins' },
        metarangeId: await committed.replace(replaced),
        creationDate: date ?? new Date(),
        parents: [into.id],
        generation: into.generation + 1,
      };
    };
    const move = head.moveClean.bind(head);
    return head.exclusively(repository, branchId, () =>
      advance.run({ repository, branch: branchId, operation: 'commit', request, draft, move }),
    );
  }

  /** The commit of everything sealed. */
  async #committed(repository: Repository, branch: StoredBranch, request: CommitRequest): Promise<NewCommit> {
    const { head, commits } = this.#options;
    const { allowEmpty = false, sourceMetarange, expectedHead, date = new Date(), signal } = request;
    checkHead(branch, expectedHead);
    const parent = branch.commitId === '' ? undefined : await commits.get(repository, branch.commitId);
    const base = parent?.metarangeId ?? '';
    let metarangeId = base;
    if (sourceMetarange !== undefined) {
      if (await head.isDirty(repository, branch, branch.sealedTokens)) throw dirtyBranch(branch.id);
      metarangeId = sourceMetarange;
    } else {
      const changed = branch.sealedTokens.length > 0 && (await this.#applied(repository, branch, base, signal));
      if (!changed && !allowEmpty) {
        await head.forgetSealed(repository, branch);
        throw noChanges('commit');
      }
      if (changed) metarangeId = changed;
    }
    return {
      committer: request.committer,
      message: request.message,
      metadata: { ...request.metadata },
      metarangeId,
      creationDate: date,
      parents: parent ? [parent.id] : [],
      generation: (parent?.generation ?? 0) + 1,
    };
  }

  /** The base with the sealed rows applied; `undefined` when they change nothing. */
  async #applied(repository: Repository, branch: StoredBranch, base: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const { kv, committed } = this.#options;
    const namespace = namespaceOf(repository);
    const folded = foldedRows(branch)?.metarangeId;
    const changes = scanRows(kv, unfoldedTokens(branch));
    const { metarangeId, summary } = await committed.applyStaged({ namespace, base: folded ?? base, changes, signal });
    if (folded === undefined) return summary.added + summary.changed + summary.removed > 0 ? metarangeId : undefined;
    for await (const page of committed.diff({ namespace, left: base, right: metarangeId, signal })) if (page.length > 0) return metarangeId;
    return undefined;
  }
}

function checkHead({ id, commitId }: StoredBranch, expected: string | undefined): void {
  if (expected !== undefined && commitId !== expected)
    throw new SrvError('precondition_failed', `the branch ${id} has moved from ${expected} to ${commitId}`);
}
