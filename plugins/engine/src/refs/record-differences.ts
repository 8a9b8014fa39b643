/** Differences of records: uncommitted, between two refs, and what a merge would do. */
import { SrvError, isSrvError } from '@srv/kernel';
import { namespaceOf } from '@srv/lib-stores/block';
import { decodeValue } from '../tables/format/index.js';
import { BranchSnapshot } from './branch-snapshot.js';
import { later, metarangeOf, startsWith } from './keys.js';
import { findMergeBase } from './merge-base.js';
import { keyAfter, tokensOf } from './staging.js';
import { uncommittedDiff } from './uncommitted.js';
import type { KvStore } from '@srv/kernel';
import type { CommittedStore, Comparison } from '../tables/contract.js';
import type { Retirement } from './branch-snapshot.js';
import type { BranchViewCursor } from './branch-view.js';
import type { Branches } from './branches.js';
import type { Commits } from './commits.js';
import type { Conflicts } from './conflicts.js';
import type { DifferenceRequest, KeyDifference, Repository } from './contract.js';
import type { StoredBranch } from './messages/index.js';
import type { Resolver } from './resolver.js';
import type { Views } from './views.js';

interface DifferencesOptions {
  readonly kv: KvStore;
  readonly committed: CommittedStore;
  readonly branches: Branches;
  readonly commits: Commits;
  readonly conflicts: Conflicts;
  readonly resolver: Resolver;
  readonly views: Views;
  readonly retirement: Retirement;
}

export class RecordDifferences {
  readonly #options: DifferencesOptions;

  constructor(options: DifferencesOptions) {
    this.#options = options;
  }

  async *uncommittedRecords(
    repository: Repository,
    branchId: string,
    { prefix, start }: DifferenceRequest = {},
  ): AsyncGenerator<KeyDifference> {
    const { kv, committed, branches, commits, retirement } = this.#options;
    const read = (): Promise<StoredBranch> => branches.get(repository, branchId);
    let from = later(start, prefix);
    for (let changed = true; changed; ) {
      const snapshot = await BranchSnapshot.read({ read, branchOf: branch => branch, retirement });
      const tokens = tokensOf(snapshot.value);
      changed = false;
      for await (const page of uncommittedDiff(
        repository,
        tokens,
        await metarangeOf(repository, snapshot.value, commits),
        { kv, committed },
        from,
      )) {
        changed = !(await snapshot.isCurrent());
        if (changed) break;
        for (const difference of page) {
          if (prefix && !startsWith(difference.key, prefix)) return;
          yield difference;
          from = keyAfter(difference.key);
        }
      }
      changed ||= !(await snapshot.isCurrent());
    }
  }

  /** Between the contents of two refs. `right` may show uncommitted records. */
  async *diffRecords(repository: Repository, left: string, right: string, request: DifferenceRequest = {}): AsyncGenerator<KeyDifference> {
    const { resolver, commits } = this.#options;
    const refs = await Promise.all([resolver.resolve(repository, left), resolver.resolve(repository, right)]);
    if (refs[0].staging) throw new SrvError('invalid', `reference '${left}': reference to staging area with $ is not a commit`);
    if (refs[1].staging) {
      yield* this.#views(repository, refs[0].commitId, right, request);
      return;
    }
    const [l, r] = await Promise.all([metarangeOf(repository, refs[0], commits), metarangeOf(repository, refs[1], commits)]);
    yield* this.#committed(repository, l, r, undefined, request);
  }

  /** What merging `right` into `left` would do. */
  async *compareRecords(
    repository: Repository,
    left: string,
    right: string,
    request: DifferenceRequest = {},
  ): AsyncGenerator<KeyDifference> {
    const { resolver, commits } = this.#options;
    const [into, from] = await Promise.all([resolver.commit(repository, left), resolver.commit(repository, right)]);
    const base = await findMergeBase(from, into, commits.walk(repository));
    if (!base) throw new SrvError('invalid', `no merge base: ${left} and ${right} share no commit`);
    yield* this.#committed(repository, into.metarangeId, from.metarangeId, base.metarangeId, request);
  }

  async *#committed(
    repository: Repository,
    left: string,
    right: string,
    base: string | undefined,
    request: DifferenceRequest,
  ): AsyncGenerator<KeyDifference> {
    const { prefix, signal } = request;
    const start = later(request.start, prefix);
    const pages = this.#options.committed.diff({
      namespace: namespaceOf(repository),
      left,
      right,
      base,
      start,
      prefix,
      signal,
    });
    for await (const page of pages)
      for (const item of page) {
        const difference = decoded(item);
        const isResolved = base !== undefined && difference.type === 'conflict' && (await this.#isResolved(repository, base, difference));
        yield isResolved ? { ...difference, type: 'changed' } : difference;
      }
  }

  /** Whether a merge would resolve the conflict by content. */
  async #isResolved(repository: Repository, base: string, { key, left, right }: KeyDifference): Promise<boolean> {
    const sides = { destination: left, source: right };
    try {
      return (await this.#options.conflicts.find(repository, base, { key, ...sides })) !== undefined;
    } catch (error) {
      if (isSrvError(error, 'conflict')) return false;
      throw error;
    }
  }

  /** Two-way difference where either side may show uncommitted rows. */
  async *#views(repository: Repository, left: string, right: string, { prefix, start }: DifferenceRequest): AsyncGenerator<KeyDifference> {
    const cursors: BranchViewCursor[] = [];
    const open = async (ref: string): Promise<BranchViewCursor> => {
      const cursor = await this.#options.views.view(repository, ref);
      cursors.push(cursor);
      await cursor.seek(later(start, prefix) ?? Buffer.alloc(0));
      return cursor;
    };
    try {
      const [a, b] = [await open(left), await open(right)];
      while (a.current || b.current) {
        const order = !a.current ? 1 : !b.current ? -1 : Buffer.compare(a.current.key, b.current.key);
        const key = (order <= 0 ? a.current : b.current)?.key ?? Buffer.alloc(0);
        if (prefix && !startsWith(key, prefix)) return;
        const [l, r] = [order <= 0 ? a.current?.value : undefined, order >= 0 ? b.current?.value : undefined];
        if (l && r && !l.identity.equals(r.identity)) yield { type: 'changed', key, left: l, right: r };
        else if (l && !r) yield { type: 'removed', key, left: l };
        else if (!l && r) yield { type: 'added', key, right: r };
        if (order <= 0) await a.next();
        if (order >= 0) await b.next();
      }
    } finally {
      for (const cursor of cursors) cursor.close();
    }
  }
}

function decoded({ type, key, left, right }: Comparison): KeyDifference {
  return { type, key, left: left && decodeValue(left), right: right && decodeValue(right) };
}
