/**
 * Which commits stay (garbage collection, section 2). Pure: no store is read here. The answer does not depend on the order
 * of commits or branches.
 */
import { setImmediate } from 'node:timers/promises';
import { mainParentOf } from '@srv/engine/refs/messages';
import { isTableId } from '@srv/engine/tables/format';
import { retentionOf } from '../rules/rules.js';
import type { Commit } from '@srv/engine/contract';
import type { Rules } from '../rules/rules.js';

/** What of a commit counts. */
export interface CommitFacts {
  /** 64 hexadecimal characters. */
  readonly id: string;
  /** Microseconds since 1970. */
  readonly date: number;
  /** The commit the branch was at before; empty: none. */
  readonly mainParent: string;
  /** Empty: no objects. So it is for a record whose metarange is not an id, as earlier versions stored: no file can have that name. */
  readonly metarangeId: string;
}

export interface Head {
  readonly branch: string;
  readonly commitId: string;
}

interface ActiveRequest {
  /** Every commit record. */
  readonly commits: ReadonlyMap<string, CommitFacts>;
  readonly heads: readonly Head[];
  /** Commits that tags point at. */
  readonly tagged: readonly string[];
  /** Absent: every commit stays. */
  readonly rules: Rules | undefined;
  readonly now: Date;
}

/** Commits walked between two pauses. */
const pauseEvery = 5000;

export function factsOf(commit: Commit): CommitFacts {
  const { id, creationDate, creationNanos = 0, metarangeId } = commit;
  return {
    id,
    date: creationDate.getTime() * 1000 + Math.floor(creationNanos / 1000),
    mainParent: mainParentOf(commit),
    metarangeId: isTableId(metarangeId) ? metarangeId : '',
  };
}

/** The time that number of calendar days before `now`, in microseconds: daylight saving time makes some days longer. */
export function thresholdOf(now: Date, days: number): number {
  const then = new Date(now);
  then.setDate(then.getDate() - days);
  const time = then.getTime();
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time * 1000;
}

/** Ids of the commits whose objects stay. */
export async function activeCommits(request: ActiveRequest): Promise<ReadonlySet<string>> {
  const { commits, heads, tagged, rules, now } = request;
  if (!rules) return new Set(commits.keys());
  const walk = new Walk(commits);
  const daysOf = retentionOf(rules);
  const headIds = new Set(heads.map(head => head.commitId));
  for (const { branch, commitId } of heads) {
    walk.activate(commitId);
    await walk.along(commitId, thresholdOf(now, daysOf(branch)));
    walk.newest(commitId, rules.keepLastCommits ?? 0);
  }
  const mainParents = new Set<string>();
  for (const { mainParent } of commits.values()) if (mainParent !== '') mainParents.add(mainParent);
  const threshold = thresholdOf(now, rules.defaultRetentionDays);
  for (const { id, date } of commits.values()) {
    if (headIds.has(id) || mainParents.has(id)) continue;
    if (date > threshold) walk.activate(id);
    await walk.along(id, threshold);
  }
  const { tags = { keep: 'all' } } = rules;
  const since = tags.keep === 'days' ? thresholdOf(now, tags.retentionDays) : Number.NEGATIVE_INFINITY;
  if (tags.keep !== 'none') for (const id of tagged) if ((commits.get(id)?.date ?? 0) > since) walk.activate(id);
  return walk.active;
}

class Walk {
  readonly active = new Set<string>();
  readonly #commits: ReadonlyMap<string, CommitFacts>;
  /** The longest retention with which each commit was passed. */
  readonly #passed = new Map<string, number>();
  #steps = 0;

  constructor(commits: ReadonlyMap<string, CommitFacts>) {
    this.#commits = commits;
  }

  activate(id: string): void {
    if (this.#commits.has(id)) this.active.add(id);
  }

  /**
   * A commit's main parent stays when the commit is younger than the threshold: then the parent was the head until then.
   * A commit is passed again for every longer retention, so that the order in which walks begin does not matter.
   */
  async along(start: string, threshold: number): Promise<void> {
    for (let commit = this.#commits.get(start); commit; commit = this.#commits.get(commit.mainParent)) {
      const passed = this.#passed.get(commit.id);
      if (passed !== undefined && passed <= threshold) return;
      this.#passed.set(commit.id, threshold);
      if (commit.date > threshold) this.activate(commit.mainParent);
      if (++this.#steps % pauseEvery === 0) await setImmediate();
    }
  }

  newest(start: string, count: number): void {
    let id = start;
    for (let i = 0; i < count && id !== ''; i++) {
      this.activate(id);
      id = this.#commits.get(id)?.mainParent ?? '';
    }
  }
}
