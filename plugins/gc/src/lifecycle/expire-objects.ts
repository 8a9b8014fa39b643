/** Removes expired objects from branches, as commits: what was removed is in the history, and a revert brings it back. */
import { isSrvError, messageOf } from '@srv/kernel';
import { branchesOf, expiryOf, hasExpired } from './object-rules.js';
import type { Engine, Repository } from '@srv/engine/contract';
import type { LifecycleTask } from './expire-branches.js';
import type { Expiry, ObjectRule } from './object-rules.js';

export interface ObjectSources {
  readonly engine: Pick<Engine, 'getBranch' | 'list' | 'import'>;
  /** Objects that one commit removes at most. */
  readonly batch?: number;
}

const pageAmount = 1000;
const usualBatch = 50_000;

interface Batch {
  readonly keys: string[];
  readonly rules: Set<string>;
}

export async function expireObjects(rules: readonly ObjectRule[], task: LifecycleTask, sources: ObjectSources): Promise<void> {
  for (const branch of branchesOf(rules)) {
    task.check();
    try {
      await expireOn(branch, expiryOf(rules, branch), task, sources);
    } catch (error) {
      // Another branch may be fine, and the next run tries again.
      if (!isSrvError(error, 'not_found', 'dirty_branch', 'protected', 'hook_aborted', 'precondition_failed')) throw error;
      task.report({ kind: 'skipped', branch, reason: messageOf(error) });
    }
  }
}

async function expireOn(branch: string, expiry: Expiry, task: LifecycleTask, sources: ObjectSources): Promise<void> {
  const { repository, dryRun, report } = task;
  let head = (await sources.engine.getBranch(repository, branch)).commitId;
  for await (const batch of batchesOf(head, expiry, task, sources)) {
    const facts = { branch, objects: batch.keys.length, rules: [...batch.rules].sort() };
    // The listing continues at the first head: commits of this run only remove what it has passed.
    if (!dryRun) head = await removeBatch(branch, head, batch, task, sources);
    report({ kind: 'objects_deleted', ...facts, commitId: dryRun ? undefined : head });
  }
}

/** Expired objects of a commit, in order of paths. */
async function* batchesOf(
  commit: string,
  { prefixes, ruleOf }: Expiry,
  { repository, now, check }: LifecycleTask,
  sources: ObjectSources,
): AsyncGenerator<Batch> {
  const { engine, batch: size = usualBatch } = sources;
  let batch: Batch = { keys: [], rules: new Set() };
  for (const prefix of prefixes) {
    for await (const { path, lastModified } of objectsBelow(engine, repository, commit, prefix)) {
      const rule = ruleOf(path);
      if (!rule || !hasExpired(lastModified, rule, now)) continue;
      batch.keys.push(path);
      batch.rules.add(rule.id);
      if (batch.keys.length < size) continue;
      check();
      yield batch;
      batch = { keys: [], rules: new Set() };
    }
  }
  check();
  if (batch.keys.length > 0) yield batch;
}

async function* objectsBelow(engine: ObjectSources['engine'], repository: Repository, commit: string, prefix: string) {
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await engine.list(repository, commit, { prefix, after, amount: pageAmount });
    for (const item of results) if (item.kind === 'object') yield item.entry;
    if (!hasMore) return;
    after = nextOffset;
  }
}

/** @returns the commit. */
async function removeBatch(
  branch: string,
  expectedHead: string,
  { keys, rules }: Batch,
  { repository, user, runId }: LifecycleTask,
  { engine }: ObjectSources,
): Promise<string> {
  const names = [...rules].sort();
  const { id } = await engine.import(repository, branch, {
    metarangeId: '',
    prefixes: [],
    keys,
    expectedHead,
    committer: user,
    user,
    message: `Lifecycle: ${keys.length} expired ${keys.length === 1 ? 'object' : 'objects'}`,
    metadata: { 'lifecycle.run': runId, 'lifecycle.rules': names.slice(0, mostNamed).join(',') },
  });
  return id;
}

/** Rules that a commit names. */
const mostNamed = 20;
