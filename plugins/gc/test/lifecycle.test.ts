/** The lifecycle on the whole engine, with a clock of its own: what goes, what stays, and what comes back. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, it } from 'node:test';
import { isSrvError, silentLogger } from '@srv/kernel';
import { runCount, seededRandom, until } from '@srv/kernel/testing';
import { partitionOf } from '@srv/lib-records';
import { identifierType } from '@srv/lib-stores/block';
import { LifecycleRuns } from '../src/lifecycle/lifecycle.js';
import { RunLog } from '../src/lifecycle/run-log.js';
import { collectorOn, patient } from './collectors.js';
import { day, openEngine } from './fixture.js';
import type { TestContext } from 'node:test';
import type { ErrorCode } from '@srv/kernel';
import type { BranchPolicy, Lifecycle, LifecycleRun, ObjectRule } from '../src/contract.js';
import type { OpenEngine } from './fixture.js';

const id = 'lakes';
const fails = (code: ErrorCode, message: RegExp) => (error: unknown) => isSrvError(error, code) && message.test(error.message);

interface Opened extends OpenEngine {
  readonly lifecycle: Lifecycle;
  readonly runs: LifecycleRuns;
  /** Milliseconds that the clock is ahead. */
  pass(ms: number): void;
  /** @returns the run, once it has ended. */
  apply(dryRun?: boolean): Promise<LifecycleRun>;
  put(branch: string, path: string): Promise<void>;
  commit(branch: string): Promise<string>;
  branches(): Promise<string[]>;
  paths(ref: string): Promise<string[]>;
}

let written = 0;

async function open(t: TestContext): Promise<Opened> {
  const engine = await openEngine();
  t.after(() => engine.stop());
  const { catalog, kv } = engine;
  await catalog.createRepository({ id, storageNamespace: `mem://bucket/${id}` });
  const collector = collectorOn(engine, 'lifecycle', engine, patient);
  t.after(() => collector.stop());
  let ahead = 0;
  const runs = new LifecycleRuns({
    kv,
    engine: catalog,
    log: silentLogger,
    exclusively: (repository, work) => collector.exclusively(repository, work),
    period: 3_600_000,
    now: () => Date.now() + ahead,
  });
  const lifecycle = runs.service();
  const list = async <T>(page: (after: string) => Promise<{ results: readonly T[]; hasMore: boolean; nextOffset: string }>) => {
    const found: T[] = [];
    for (let after = ''; ; ) {
      const { results, hasMore, nextOffset } = await page(after);
      found.push(...results);
      if (!hasMore) return found;
      after = nextOffset;
    }
  };
  return {
    ...engine,
    lifecycle,
    runs,
    pass(ms) {
      ahead += ms;
    },
    async apply(dryRun = false) {
      const run = await lifecycle.start(id, { dryRun, user: 'ann' });
      for (;;) {
        const found = await lifecycle.getRun(id, run);
        if (found.phase !== 'running') return found;
        await new Promise(resolve => setTimeout(resolve, 2));
      }
    },
    // Other content each time: the same again is not a change.
    put: async (branch, path) => void (await catalog.putObject(id, branch, path, Buffer.from(`${path} ${++written}`))),
    commit: async branch => (await catalog.commit(id, branch, { committer: 'ann', message: 'm' })).id,
    branches: async () => (await list(after => catalog.listBranches(id, { after, showHidden: true }))).map(branch => branch.id),
    paths: async ref => (await list(after => catalog.list(id, ref, { after }))).map(item => item.path),
  };
}

describe('branches', () => {
  it('go when all limits of the first policy that matches are exceeded, and can be restored', async t => {
    const srv = await open(t);
    for (const name of ['try-old', 'try-new', 'keep-it', 'plain']) await srv.catalog.createBranch(id, name, 'main');
    await srv.put('try-old', 'a');
    const head = await srv.commit('try-old');
    await srv.lifecycle.setBranchPolicies(id, [
      { id: 'kept', namePatterns: ['keep-*'], maxAge: 1_000_000 },
      { id: 'tries', namePatterns: ['try-*', 'keep-*', 'main'], maxAge: 3600, maxInactivity: 600 },
    ]);
    assert.deepEqual((await srv.apply()).actions, []);
    srv.pass(3_700_000);
    await srv.put('try-new', 'written recently');
    const dry = await srv.apply(true);
    assert.deepEqual([dry.dryRun, dry.branches, dry.user], [true, 1, 'ann']);
    assert.equal((await srv.branches()).length, 5, 'a dry run deletes nothing');
    const run = await srv.apply();
    assert.deepEqual(run.actions, [{ kind: 'branch_deleted', branch: 'try-old', rules: ['tries'], commitId: head }]);
    assert.deepEqual(await srv.branches(), ['keep-it', 'main', 'plain', 'try-new']);
    const [deleted] = (await srv.catalog.deletedBranches(id)).results;
    assert.deepEqual([deleted?.id, deleted?.commitId, deleted?.deletedBy], ['try-old', head, 'ann']);
    await srv.catalog.undeleteBranch(id, 'try-old');
    assert.deepEqual(await srv.paths('try-old'), ['a']);
    assert.deepEqual(
      (await srv.lifecycle.listRuns(id)).results.map(({ dryRun, branches }) => [dryRun, branches]),
      [
        [false, 1],
        [true, 1],
        [false, 0],
      ],
    );
  });

  it('with uncommitted changes count as written when the changes were last seen to differ, whatever times clients name', async t => {
    const srv = await open(t);
    await srv.catalog.createBranch(id, 'dev', 'main');
    await srv.lifecycle.setBranchPolicies(id, [{ namePatterns: ['dev'], maxInactivity: 100 }]);
    srv.pass(200_000);
    const address = srv.catalog.allocateAddress();
    const facts = { address, addressType: identifierType.relative, size: 1, etag: 'e', lastModified: new Date(0) };
    const repository = await srv.catalog.getRepository(id);
    const stage = (path: string) => srv.catalog.stageEntry(repository, 'dev', path, facts);
    await stage('a');
    assert.deepEqual((await srv.apply(true)).actions, [], 'seen for the first time');
    srv.pass(200_000);
    assert.deepEqual((await srv.apply()).actions, [], 'a dry run remembers nothing');
    srv.pass(50_000);
    await stage('b');
    srv.pass(60_000);
    assert.deepEqual((await srv.apply()).actions, [], 'another change, in time');
    srv.pass(90_000);
    assert.deepEqual((await srv.apply()).actions, []);
    srv.pass(20_000);
    assert.equal((await srv.apply()).branches, 1);
    assert.deepEqual(await srv.branches(), ['main']);
    for await (const page of srv.kv.scan(partitionOf(await srv.catalog.getRepository(id))))
      for (const { key } of page) assert.doesNotMatch(key.toString(), /^gc\/lifecycle\/staged\//, 'what was seen goes with the branch');
  });

  it('that change between judgement and deletion stay', async t => {
    const srv = await open(t);
    await srv.catalog.createBranch(id, 'dev', 'main');
    await srv.lifecycle.setBranchPolicies(id, [{ namePatterns: ['dev'], maxInactivity: 100 }]);
    srv.pass(200_000);
    srv.kernel.hooks.event.for('pre-delete-branch').tapPromise('test', () => srv.put('dev', 'a'));
    const run = await srv.apply();
    assert.deepEqual(
      run.actions.map(({ kind, branch, reason }) => [kind, branch, reason]),
      [['skipped', 'dev', 'dev was changed meanwhile']],
    );
    assert.deepEqual(await srv.paths('dev'), ['a']);
  });

  it('that a guard protects stay, which the run says', async t => {
    const srv = await open(t);
    for (const name of ['a-guarded', 'b-free']) await srv.catalog.createBranch(id, name, 'main');
    srv.kernel.hooks.guardBranch.tapPromise('test', async ({ branch, block }) =>
      branch === 'a-guarded' ? block('by the test') : undefined,
    );
    await srv.lifecycle.setBranchPolicies(id, [{ namePatterns: ['*'], maxAge: 1 }]);
    srv.pass(60_000);
    const run = await srv.apply();
    assert.deepEqual(
      run.actions.map(({ kind, branch }) => [kind, branch]),
      [
        ['skipped', 'a-guarded'],
        ['branch_deleted', 'b-free'],
      ],
    );
    assert.match(run.actions[0]?.reason ?? '', /cannot delete protected branch: by the test/);
    assert.deepEqual(await srv.branches(), ['a-guarded', 'main']);
  });
});

describe('objects', () => {
  it('expire by a commit, which a revert takes back, and uncommitted branches wait', async t => {
    const srv = await open(t);
    for (const path of ['logs/a', 'logs/b', 'data/c']) await srv.put('main', path);
    await srv.commit('main');
    await srv.lifecycle.setObjectRules(id, [
      { id: 'logs', branches: ['main', 'gone'], prefix: 'logs/', expireAfterDays: 3 },
      { id: 'all', branches: ['main'], prefix: '', expireAfterDays: 30 },
    ]);
    srv.pass(4 * day);
    await srv.put('main', 'open');
    const waiting = await srv.apply();
    assert.deepEqual(
      waiting.actions.map(({ kind, branch }) => [kind, branch]),
      [
        ['skipped', 'gone'],
        ['skipped', 'main'],
      ],
    );
    assert.match(waiting.actions[1]?.reason ?? '', /uncommitted changes/);
    await srv.catalog.resetBranch(id, 'main', { type: 'all' });
    const dry = await srv.apply(true);
    assert.deepEqual(dry.actions.at(-1), { kind: 'objects_deleted', branch: 'main', objects: 2, rules: ['logs'] });
    assert.equal((await srv.paths('main')).length, 3);
    const run = await srv.apply();
    assert.equal(run.objects, 2);
    const commit = await srv.catalog.getCommit(id, 'main');
    assert.equal(run.actions.at(-1)?.commitId, commit.id);
    assert.equal(commit.message, 'Lifecycle: 2 expired objects');
    assert.deepEqual([commit.committer, commit.metadata['lifecycle.rules'], commit.metadata['lifecycle.run']], ['ann', 'logs', run.id]);
    assert.deepEqual(await srv.paths('main'), ['data/c']);
    assert.deepEqual((await srv.apply()).objects, 0);
    await srv.catalog.revert(id, 'main', { ref: commit.id, committer: 'ann' });
    assert.deepEqual(await srv.paths('main'), ['data/c', 'logs/a', 'logs/b']);
  });

  it('that were replaced after the run listed them stay', async t => {
    const srv = await open(t);
    await srv.put('main', 'a');
    await srv.commit('main');
    await srv.lifecycle.setObjectRules(id, [{ id: 'all', branches: ['main'], prefix: '', expireAfterDays: 1 }]);
    srv.pass(2 * day);
    let replaced = false;
    srv.kernel.hooks.guardBranch.tapPromise('test', async ({ actions }) => {
      if (replaced || !actions.includes('import')) return;
      replaced = true;
      await srv.put('main', 'a');
      await srv.commit('main');
    });
    const run = await srv.apply();
    assert.match(run.actions[0]?.reason ?? '', /the branch main has moved from/);
    assert.deepEqual(await srv.paths('main'), ['a']);
  });
});

describe('settings', () => {
  it('are stored under an ETag, and changes by others are noticed', async t => {
    const { lifecycle } = await open(t);
    const policies: BranchPolicy[] = [{ namePatterns: ['a'], maxAge: 1 }];
    const rules: ObjectRule[] = [{ id: 'a', branches: ['main'], prefix: '', expireAfterDays: 1 }];
    const first = await lifecycle.setBranchPolicies(id, policies, '');
    await assert.rejects(lifecycle.setBranchPolicies(id, [], ''), fails('precondition_failed', /were changed meanwhile/));
    assert.notEqual((await lifecycle.setBranchPolicies(id, [], `"${first.etag}"`)).etag, first.etag);
    assert.deepEqual(await lifecycle.getObjectRules(id), { items: [], etag: '' });
    const { etag } = await lifecycle.setObjectRules(id, rules);
    assert.deepEqual(await lifecycle.getObjectRules(id), { items: rules, etag });
    await lifecycle.deleteObjectRules(id);
    assert.deepEqual((await lifecycle.getObjectRules(id)).items, []);
    await assert.rejects(lifecycle.setObjectRules('none', rules), fails('not_found', /repository/));
    await assert.rejects(lifecycle.getRun(id, 'nope'), fails('not_found', /run "nope": not found/));
  });
});

describe('runs', () => {
  it('begin when the time has come, where there is something to apply, and wait for the collector', async t => {
    const srv = await open(t);
    const repository = await srv.catalog.getRepository(id);
    const maintain = async (): Promise<number> => {
      await srv.runs.maintain(repository);
      for (;;) {
        const { results } = await srv.lifecycle.listRuns(id);
        if (results.every(({ phase }) => phase !== 'running')) return results.length;
        await new Promise(resolve => setTimeout(resolve, 2));
      }
    };
    assert.equal(await maintain(), 0);
    await srv.lifecycle.setBranchPolicies(id, [{ namePatterns: ['a'], maxAge: 1 }]);
    assert.equal(await maintain(), 1);
    assert.equal((await srv.lifecycle.listRuns(id)).results[0]?.user, 'lifecycle');
    assert.equal(await maintain(), 1);
    srv.pass(3_600_000);
    const other = collectorOn(srv, 'other', srv, patient);
    t.after(() => other.stop());
    await other.exclusively(repository, async () => {
      assert.equal(await maintain(), 1);
      await assert.rejects(
        srv.lifecycle.start(id, { dryRun: true, user: 'ann' }),
        fails('conflict', /other work on this repository is under way/),
      );
    });
    assert.equal(await maintain(), 2);
  });

  it('have ended only once the next one can begin', async t => {
    const srv = await open(t);
    const repository = await srv.catalog.getRepository(id);
    const setIf = srv.kv.setIf.bind(srv.kv);
    const lease = new EventEmitter();
    const released = once(lease, 'released');
    const releasing = once(lease, 'releasing');
    t.mock.method(srv.kv, 'setIf', async (...args: Parameters<typeof setIf>) => {
      if (args[1].toString() === 'gc/lease' && args[2].toString().startsWith('{"owner":""')) {
        lease.emit('releasing');
        await released;
      }
      return setIf(...args);
    });
    const run = await srv.lifecycle.start(id, { dryRun: true, user: 'ann' });
    await releasing;
    assert.equal((await srv.lifecycle.getRun(id, run)).phase, 'running');
    // Another server that began meanwhile took it for one whose server had ended.
    await new RunLog(srv.kv).tidy(repository, 0);
    assert.equal((await srv.lifecycle.getRun(id, run)).phase, 'failed');
    lease.emit('released');
    await until(async () => (await srv.lifecycle.getRun(id, run)).phase === 'done' || undefined);
    await srv.apply();
  });

  it('have ended though that cannot be stored for a moment', async t => {
    const srv = await open(t);
    const set = srv.kv.set.bind(srv.kv);
    let failures = 0;
    t.mock.method(srv.kv, 'set', async (...args: Parameters<typeof set>) => {
      const isEnd = args[1].toString().startsWith('gc/lifecycle/runs/') && args[2].includes('"endedAt"');
      if (isEnd && failures++ < 1) throw new Error('connection reset');
      return set(...args);
    });
    const run = await srv.lifecycle.start(id, { dryRun: true, user: 'ann' });
    await until(() => failures > 0);
    // What is stored last was asked for before the server stops.
    await srv.runs.stop();
    assert.equal((await srv.lifecycle.getRun(id, run)).phase, 'done');
  });

  it('whose server died are recorded as failed by the next one', async t => {
    const srv = await open(t);
    const dead = await srv.apply();
    const [partition, key] = [partitionOf(await srv.catalog.getRepository(id)), Buffer.from(`gc/lifecycle/runs/${dead.id}`)];
    const stored = JSON.parse((await srv.kv.get(partition, key))?.value.toString() ?? '') as object;
    await srv.kv.set(partition, key, Buffer.from(JSON.stringify({ ...stored, phase: 'running', endedAt: undefined })));
    await srv.apply();
    const { phase, error } = await srv.lifecycle.getRun(id, dead.id);
    assert.deepEqual([phase, error], ['failed', 'its server ended; the next run continues']);
  });

  it('of random histories delete what a naive model says and nothing else', async t => {
    const random = seededRandom();
    t.diagnostic(`SRV_TEST_SEED=${random.seed}`);
    for (let history = 0; history < runCount(4, 40); history++) await randomHistory(await open(t), random);
  });
});

/** What the model knows of a branch; times by the clock of the test. Creations and objects are stamped by stores, at 0. */
interface ModelBranch {
  /** Date of its head. */
  headAt: number;
  /** Uncommitted changes, and when a run first saw them. */
  dirty: boolean;
  seenAt: number | undefined;
  readonly committed: Set<string>;
  readonly staged: Set<string>;
}

async function randomHistory(srv: Opened, { below, choose }: ReturnType<typeof seededRandom>): Promise<void> {
  let clock = 0;
  const names = ['aa', 'ab', 'ba'];
  const paths = ['x/1', 'x/2', 'y/1', 'z'];
  const policies: BranchPolicy[] = [
    { id: 'first', namePatterns: [choose(['a*', 'aa', '*b'])], maxInactivity: (1 + below(3)) * 86_400 },
    { id: 'second', namePatterns: [choose(['*', 'ba'])], maxAge: (1 + below(6)) * 86_400 },
  ];
  const rules: ObjectRule[] = [
    { id: 'short', branches: [choose(names), 'main'], prefix: choose(['x/', '']), expireAfterDays: 1 + below(3) },
    { id: 'long', branches: ['main', 'ba'], prefix: '', expireAfterDays: 4 },
  ];
  await srv.lifecycle.setBranchPolicies(id, policies);
  await srv.lifecycle.setObjectRules(id, rules);
  const fresh = (source?: ModelBranch): ModelBranch => ({
    headAt: source?.headAt ?? 0,
    dirty: false,
    seenAt: undefined,
    committed: new Set(source?.committed),
    staged: new Set(),
  });
  const model = new Map<string, ModelBranch>([['main', fresh()]]);
  for (let step = 0; step < 40; step++) {
    const name = choose(['main', ...names]);
    const branch = model.get(name);
    const action = below(6);
    if (!branch) {
      await srv.catalog.createBranch(id, name, 'main');
      model.set(name, fresh(model.get('main')));
    } else if (action < 2) {
      const path = choose(paths);
      await srv.put(name, path);
      branch.staged.add(path);
      Object.assign(branch, { dirty: true, seenAt: undefined });
    } else if (action < 4 && branch.dirty) {
      await srv.catalog.commit(id, name, { committer: 'ann', message: 'm', date: new Date(Date.now() + clock) });
      for (const path of branch.staged) branch.committed.add(path);
      branch.staged.clear();
      Object.assign(branch, { dirty: false, seenAt: undefined, headAt: clock });
    } else if (action > 3) {
      const hours = below(30);
      srv.pass(hours * 3_600_000 + 60_000);
      clock += hours * 3_600_000 + 60_000;
      await srv.apply();
      applyToModel(model, policies, rules, clock);
      assert.deepEqual(await srv.branches(), [...model.keys()].sort(), `branches at ${clock}`);
      for (const [left, { committed, staged }] of model)
        assert.deepEqual(await srv.paths(left), [...new Set([...committed, ...staged])].sort(), `objects of ${left} at ${clock}`);
    }
  }
}

/** The definition, written down as naively as possible. */
function applyToModel(
  model: Map<string, ModelBranch>,
  policies: readonly BranchPolicy[],
  rules: readonly ObjectRule[],
  clock: number,
): void {
  const matches = (pattern: string, name: string): boolean => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(name);
  for (const [name, branch] of model) {
    const policy = policies.find(({ namePatterns }) => namePatterns.some(pattern => matches(pattern, name)));
    if (!policy || name === 'main') continue;
    if (policy.maxAge !== undefined && clock <= policy.maxAge * 1000) continue;
    if (policy.maxInactivity !== undefined) {
      const limit = policy.maxInactivity * 1000;
      if (clock - branch.headAt <= limit) continue;
      if (branch.dirty) {
        branch.seenAt ??= clock;
        if (clock - branch.seenAt <= limit) continue;
      }
    }
    model.delete(name);
  }
  for (const [name, branch] of model) {
    if (branch.dirty) continue;
    for (const path of branch.committed) {
      const about = rules.filter(rule => rule.branches.includes(name) && path.startsWith(rule.prefix));
      if (!about.some(({ expireAfterDays }) => clock > expireAfterDays * day)) continue;
      branch.committed.delete(path);
      branch.headAt = 0;
    }
  }
}
