/** Runs on a whole server, as clients of the API see them. */
import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { until } from '@srv/kernel/testing';
import { ApiError } from '@srv/lib-api/client';
import { actionFile, openServer } from './probe.js';
import type { Probe } from './probe.js';

const repository = 'repo';
const main = { repository, branch: 'main' };

type Opened = Awaited<ReturnType<typeof openServer>>;

const runsOf = async ({ client }: Pick<Opened, 'client'>, filter: object = {}) =>
  (await client.listRepositoryRuns({ repository, ...filter })).results;

const outputOf = async ({ client }: Pick<Opened, 'client'>, runId: string, hookRunId = '0000_0000'): Promise<string> => {
  const { body } = await client.getRunHookOutput({ repository, run_id: runId, hook_run_id: hookRunId });
  return (await buffer(body)).toString('utf8');
};

const commit = ({ client }: Pick<Opened, 'client'>, message = 'm', branch = 'main') =>
  client.commit({ repository, branch, body: { message, allow_empty: true } });

/** Asks for the status of a task until it has ended. */
const completed = <T extends { readonly completed: boolean }>(ask: () => Promise<T>): Promise<T> =>
  until(async () => {
    const status = await ask();
    return status.completed ? status : undefined;
  });

const count = (probe: Probe, text: string): number => probe.trace.filter(line => line === text).length;

describe('runs', () => {
  it('of a commit come in order, are listed newest first, and know their commit', async t => {
    const srv = await openServer(t);
    await srv.put(
      'main',
      '_srv_actions/all.yaml',
      actionFile('all', ['prepare-commit', 'pre-commit', 'post-commit'], { note: { say: 'hello' } }),
    );
    const { id } = await commit(srv);
    const runs = await until(async () => {
      const found = await runsOf(srv);
      return found.length === 3 ? found : undefined;
    });
    assert.deepEqual(srv.probe.trace, ['prepare-commit note', 'pre-commit note', 'post-commit note']);
    assert.deepEqual(
      runs.map(({ event_type, branch, commit_id, status }) => [event_type, branch, commit_id, status]),
      [
        ['post-commit', 'main', id, 'completed'],
        ['pre-commit', 'main', id, 'completed'],
        ['prepare-commit', 'main', '', 'completed'],
      ],
    );
    assert.deepEqual(
      (await runsOf(srv, { commit: id })).map(run => run.event_type),
      ['post-commit', 'pre-commit'],
    );
    assert.equal((await runsOf(srv, { branch: 'main' })).length, 3);
    assert.equal((await runsOf(srv, { branch: 'mai' })).length, 0);
    const [post] = runs;
    assert.ok(post);
    assert.deepEqual(await srv.client.getRun({ repository, run_id: post.run_id }), post);
    assert.match(post.start_time, /^20\d\d-.*Z$/);
    assert.equal(srv.probe.calls[2]?.event.preRunId, runs[1]?.run_id);
    const { results: hooks } = await srv.client.listRunHooks({ repository, run_id: post.run_id });
    assert.deepEqual(
      hooks.map(({ hook_run_id, action, hook_id, status }) => [hook_run_id, action, hook_id, status]),
      [['0000_0000', 'all', 'note', 'completed']],
    );
    assert.equal(await outputOf(srv, post.run_id), 'hello');
  });

  it('of a misspelt event would never come: every operation is refused until the file is corrected', async t => {
    const srv = await openServer(t);
    const path = '_srv_actions/slip.yaml';
    await srv.put('main', path, actionFile('slip', ['pre-comit'], { note: {} }));
    const expected =
      /parsing file _srv_actions\/slip\.yaml: event 'pre-comit' is not supported: invalid action \(line \d+: did you mean pre-commit\? events are /;
    await assert.rejects(commit(srv), error => error instanceof ApiError && error.status === 412 && expected.test(error.message));
    await srv.put('main', path, actionFile('slip', ['pre-commit'], { note: {} }));
    await commit(srv);
    assert.deepEqual(srv.probe.trace, ['pre-commit note']);
  });

  it('are listed in pages', async t => {
    const srv = await openServer(t);
    await srv.put('main', '_srv_actions/a', actionFile('a1', ['pre-commit'], { note: {} }));
    for (let i = 0; i < 5; i++) await commit(srv);
    const all = await runsOf(srv);
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { results, pagination } = await srv.client.listRepositoryRuns({ repository, amount: 2, ...(after ? { after } : {}) });
      seen.push(...results.map(run => run.run_id));
      if (!pagination.has_more) break;
      after = pagination.next_offset;
    }
    assert.deepEqual(
      seen,
      all.map(run => run.run_id),
    );
    assert.equal(seen.length, 5);
    await assert.rejects(srv.client.listRepositoryRuns({ repository, branch: 'main', commit: 'c' }), (error: unknown) => {
      return (
        error instanceof ApiError &&
        error.status === 400 &&
        /can't use both branchID and MergedCommitID: parameters conflict/.test(error.message)
      );
    });
  });

  it('that fail refuse the operation with the text clients compare, and it can be repeated at once', async t => {
    const srv = await openServer(t);
    await srv.put('main', '_srv_actions/a', actionFile('check', ['pre-commit'], { first: {}, 'is-bad': { fail: 'no good' }, after: {} }));
    await srv.put('main', '_srv_actions/b', actionFile('other', ['pre-commit'], { 'also-bad': { fail: 'neither' } }));
    const before = await srv.engine.getBranch(repository, 'main');
    const error: unknown = await commit(srv).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ApiError && error.status === 412);
    const [run] = await runsOf(srv);
    assert.equal(
      error.message,
      `pre-commit hook aborted, run id '${run?.run_id}': 2 errors occurred:\n` +
        `\t* hook run id '0000_0001' failed on action 'check' hook 'is-bad': action failed: no good\n` +
        `\t* hook run id '0001_0000' failed on action 'other' hook 'also-bad': action failed: neither\n\n`,
    );
    assert.equal(run?.status, 'failed');
    assert.equal((await srv.engine.getBranch(repository, 'main')).commitId, before.commitId);
    const { results } = await srv.client.listRunHooks({ repository, run_id: run.run_id });
    assert.deepEqual(
      results.map(({ hook_run_id, status, start_time, end_time }) => [hook_run_id, status, start_time.slice(0, 4), end_time === undefined]),
      [
        ['0000_0000', 'completed', String(new Date().getFullYear()), false],
        ['0000_0001', 'failed', String(new Date().getFullYear()), false],
        ['0000_0002', 'skipped', '0001', true],
        ['0001_0000', 'failed', String(new Date().getFullYear()), false],
      ],
    );
    assert.equal(await outputOf(srv, run.run_id, '0000_0001'), 'Error: action failed: no good\n');
    assert.equal(await outputOf(srv, run.run_id, '0000_0002'), '');
    for (const path of ['a', 'b']) await srv.engine.deleteObject(repository, 'main', `_srv_actions/${path}`);
    await commit(srv);
  });

  it('that fail with a long text say how much of it is left out, in answers and outputs', async t => {
    const srv = await openServer(t);
    await srv.put('main', '_srv_actions/long.yaml', actionFile('long', ['pre-commit'], { talker: { fail: 'x'.repeat(100_000) } }));
    const error = await commit(srv).catch((error: unknown) => error);
    assert.match(String(error), /action failed: x{10000,} \[\d+ further characters\]/);
    assert.ok(String(error).length < 20_000);
    const [run] = await runsOf(srv);
    assert.ok((await outputOf(srv, run?.run_id ?? '')).length < 20_000);
  });

  it('read action files where the sheet says', async t => {
    const srv = await openServer(t);
    const { client, engine, probe, put } = srv;
    // An uncommitted file of the source counts for a new branch.
    await put('main', '_srv_actions/gate', actionFile('gate', ['pre-create-branch'], { 'no-branch': { fail: 'not now' } }));
    await assert.rejects(client.createBranch({ repository, body: { name: 'dev', source: 'main' } }), /pre-create-branch hook aborted/);
    await engine.deleteObject(repository, 'main', '_srv_actions/gate');
    await client.createBranch({ repository, body: { name: 'dev', source: 'main' } });
    // The files of the source commit count for a merge, the destination's do not.
    await put('main', '_srv_actions/m', actionFile('of main', ['pre-merge'], { 'on-main': {} }));
    await commit(srv);
    await put('dev', '_lakefs_actions/d', actionFile('of dev', ['pre-merge', 'post-merge'], { 'on-dev': {} }));
    await commit(srv, 'with an action', 'dev');
    await client.mergeIntoBranch({ repository, sourceRef: 'dev', destinationBranch: 'main', body: {} });
    await until(() => (count(probe, 'post-merge on-dev') === 1 ? true : undefined));
    assert.deepEqual(probe.trace, ['pre-create-branch no-branch', 'pre-merge on-dev', 'post-merge on-dev']);
    const [, pre, post] = probe.calls;
    assert.equal(pre?.payload.merge_source, 'dev');
    assert.equal(pre?.payload.commit_message, "Merge 'dev' into 'main'");
    assert.equal(post?.payload.source_ref, post?.payload.commit_id);
    // The candidate of the merge is a commit that can be read, and the resulting one.
    assert.equal(pre?.payload.commit_id, post?.payload.commit_id);
    await until(async () => ((await runsOf(srv, { commit: post?.payload.commit_id ?? '' })).length === 2 ? true : undefined));
  });

  it('see what clients see of an event', async t => {
    const srv = await openServer(t);
    await srv.put('main', '_srv_actions/a', actionFile('the action', ['pre-commit', 'pre-create-tag'], { look: {} }));
    await srv.client.commit({ ...main, body: { message: 'a message', metadata: { b: '2', a: '1' } } });
    await srv.client.createTag({ repository, body: { id: 'v1', ref: 'main' } });
    const [commitPayload, tagPayload] = srv.probe.calls.map(({ payload: { event_time, ...rest } }) => {
      assert.match(event_time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      return rest;
    });
    const common = { action_name: 'the action', hook_id: 'look', repository_id: repository };
    assert.equal(
      JSON.stringify(commitPayload),
      JSON.stringify({
        event_type: 'pre-commit',
        ...common,
        branch_id: 'main',
        source_ref: 'main',
        commit_message: 'a message',
        committer: 'admin',
        commit_metadata: { a: '1', b: '2' },
      }),
    );
    const { commitId } = await srv.engine.getBranch(repository, 'main');
    assert.equal(
      JSON.stringify(tagPayload),
      JSON.stringify({ event_type: 'pre-create-tag', ...common, source_ref: commitId, tag_id: 'v1', commit_id: commitId }),
    );
    assert.deepEqual(
      srv.probe.calls.map(({ event }) => event.user),
      ['admin', 'admin'],
    );
  });

  it('start from background commits, merges and imports alike', async t => {
    const srv = await openServer(t);
    const { client, put, probe, engine } = srv;
    await put('main', '_srv_actions/a', actionFile('check', ['pre-commit', 'pre-merge', 'post-commit'], { look: {} }));
    await commit(srv);
    await until(() => (count(probe, 'post-commit look') === 1 ? true : undefined));
    probe.calls.length = 0;
    probe.during = async ({ event }) => {
      if (event.type.startsWith('pre-')) throw new Error('no');
    };
    const { id } = await client.commitAsync({ ...main, body: { message: 'm', allow_empty: true } });
    const status = await completed(() => client.commitAsyncStatus({ ...main, id }));
    assert.match(status.error?.message ?? '', /^pre-commit hook aborted, run id/);
    const stored = await engine.getRepository(repository);
    const request = { metarangeId: '', prefixes: ['x/'], keys: [], committer: 'c', message: 'imported' };
    await assert.rejects(engine.import(stored, 'main', request), /^SrvError: pre-commit hook aborted/);
    probe.during = async () => undefined;
    await engine.import(stored, 'main', request);
    await until(() => (count(probe, 'post-commit look') === 1 ? true : undefined));
    assert.deepEqual(probe.trace, ['pre-commit look', 'pre-commit look', 'pre-commit look', 'post-commit look']);
    assert.equal(probe.calls[3]?.payload.commit_metadata?.['.lakefs.merge.strategy'], 'source-wins');
  });

  it('refuse and pass background commits and merges, whose status has the reason or the commit', async t => {
    const srv = await openServer(t);
    const { client, put, probe, engine } = srv;
    await engine.createBranch(repository, 'dev', 'main');
    await put('dev', '_srv_actions/a', actionFile('check', ['pre-commit', 'pre-merge', 'post-merge'], { look: {} }));
    const dev = { repository, branch: 'dev' };
    const merging = { repository, sourceRef: 'dev', destinationBranch: 'main' };
    const commitInBackground = async () => {
      const { id } = await client.commitAsync({ ...dev, body: { message: 'm', allow_empty: true } });
      return completed(() => client.commitAsyncStatus({ ...dev, id }));
    };
    const mergeInBackground = async () => {
      const { id } = await client.mergeIntoBranchAsync({ ...merging, body: {} });
      return completed(() => client.mergeIntoBranchAsyncStatus({ ...merging, id }));
    };
    const tips = async () => Promise.all(['main', 'dev'].map(async name => (await engine.getBranch(repository, name)).commitId));
    const refused = async (event: string, inBackground: typeof commitInBackground | typeof mergeInBackground, prefix = '') => {
      const before = await tips();
      probe.during = () => Promise.reject(new Error('not today'));
      const status = await inBackground();
      probe.during = () => Promise.resolve();
      const [run] = await runsOf(srv);
      assert.equal(
        status.error?.message,
        `${prefix}${event} hook aborted, run id '${run?.run_id}': 1 error occurred:\n` +
          `\t* hook run id '0000_0000' failed on action 'check' hook 'look': action failed: not today\n\n`,
      );
      assert.deepEqual(await tips(), before);
    };
    await refused('pre-commit', commitInBackground);
    const { result: commit } = await commitInBackground();
    assert.equal(commit?.id, (await tips())[1]);
    await refused('pre-merge', mergeInBackground, 'update branch main: ');
    const { result: merge } = await mergeInBackground();
    assert.equal(merge?.reference, (await tips())[0]);
    await until(() => (count(probe, 'post-merge look') === 1 ? true : undefined));
    assert.deepEqual(probe.trace, ['pre-commit look', 'pre-commit look', 'pre-merge look', 'pre-merge look', 'post-merge look']);
  });

  it('ignore folders, markers and hidden files, and honour full addresses', async t => {
    const srv = await openServer(t);
    const { put, engine, probe } = srv;
    await put('main', '_srv_actions/', 'marker');
    await put('main', '_srv_actions/sub/broken.yaml', 'not: an action');
    await put('main', '_srv_actions/.hidden', 'not: an action');
    await put('main', 'elsewhere', actionFile('linked', ['pre-commit'], { 'from-afar': {} }));
    const entry = await engine.getEntry(repository, 'main', 'elsewhere');
    await engine.stageEntry(await engine.getRepository(repository), 'main', '_srv_actions/linked', {
      address: entry.physicalAddress,
      addressType: 2,
      size: entry.size,
      etag: entry.etag,
    });
    await commit(srv);
    assert.deepEqual(probe.trace, ['pre-commit from-afar']);
  });

  it('count a changed file at once, on the branch it was changed on', async t => {
    const srv = await openServer(t);
    const { put, probe, engine } = srv;
    for (let i = 0; i < 3; i++) {
      await put('main', '_srv_actions/a', actionFile('changing', ['pre-commit'], { [`version-${i}`]: {} }));
      await commit(srv);
      await commit(srv);
    }
    assert.deepEqual(
      probe.trace,
      [0, 0, 1, 1, 2, 2].map(i => `pre-commit version-${i}`),
    );
    await srv.client.createBranch({ repository, body: { name: 'dev', source: 'main' } });
    await engine.deleteObject(repository, 'dev', '_srv_actions/a');
    await commit(srv, 'without', 'dev');
    await commit(srv);
    assert.equal(probe.trace.length, 7);
  });

  it('refuse while a file that concerns the event is broken, and name every problem', async t => {
    const srv = await openServer(t);
    await srv.put('main', '_srv_actions/one.yaml', 'name: one\non:\n  pre-commit:\nhooks:\n  - id: x\n    type: probe\n');
    await srv.put(
      'main',
      '_srv_actions/two.yaml',
      'name: one\non:\n  pre-commit:\nhooks:\n  - id: hook\n    type: unheard\n    properties: {a: b}\n',
    );
    await srv.put('main', '_srv_actions/other.yaml', 'name: 1\non:\n  pre-merge:\n');
    const error: unknown = await commit(srv).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ApiError && error.status === 412, String(error));
    assert.match(error.message, /^pre-commit hook aborted: 3 errors occurred:\n/);
    assert.match(error.message, /\t\* parsing file _srv_actions\/one.yaml: hook\[0\] missing ID: invalid action \(line 5: /);
    assert.match(error.message, /\t\* parsing file _srv_actions\/two.yaml: hook\[0\] type 'hook' unknown: invalid action \(line 6: /);
    assert.match(error.message, /\t\* parsing file _srv_actions\/two.yaml: action name 'one' already loaded: invalid action/);
    assert.deepEqual(await runsOf(srv), []);
  });

  it('read long files beside the event loop', async t => {
    const srv = await openServer(t);
    const hooks = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`hook-${i}`, { text: 'x'.repeat(500) }]));
    await srv.put('main', '_srv_actions/long', actionFile('long', ['pre-commit'], hooks));
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    await commit(srv);
    delay.disable();
    t.diagnostic(`longest delay of the event loop: ${Math.round(delay.max / 1e6)} ms`);
    assert.equal(srv.probe.calls.length, 200);
    await srv.put('main', '_srv_actions/long', `name: [\n${'- x\n'.repeat(2000)}`);
    await assert.rejects(commit(srv), /parsing file _srv_actions\/long: yaml: /);
    await srv.put('main', '_srv_actions/long', 'x'.repeat(300_000));
    await assert.rejects(commit(srv), /getting action file _srv_actions\/long: 300000 bytes are more than 262144/);
  });

  it('are not started when actions are switched off, and old ones stay readable', async t => {
    const srv = await openServer(t, { config: { 'actions.enabled': false } });
    await srv.put('main', '_srv_actions/broken', 'nothing of it is read');
    await commit(srv);
    assert.deepEqual(await runsOf(srv), []);
    assert.equal((await srv.client.getConfig({})).capabilities_config?.actions, false);
  });

  it('mask values of the environment, in outputs and refusals', async t => {
    process.env['SRVACTION_PROBE'] = 'a most secret value';
    process.env['OTHER_PROBE'] = 'out of reach';
    t.after(() => {
      delete process.env['SRVACTION_PROBE'];
      delete process.env['OTHER_PROBE'];
    });
    const srv = await openServer(t);
    const text = 'it is {{ ENV.SRVACTION_PROBE }}{{ENV.OTHER_PROBE}}!';
    await srv.put('main', '_srv_actions/a', actionFile('telling', ['pre-commit'], { tell: { say: text, fail: text } }));
    await srv.put('main', '_srv_actions/b', actionFile('asking', ['pre-commit'], { ask: { say: '{{ ENV.SRVACTION_GONE }}' } }));
    srv.probe.during = async ({ log }) => log(Buffer.from('again: a most secret value'));
    const error: unknown = await commit(srv).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ApiError && error.status === 412);
    assert.doesNotMatch(error.message, /most secret/);
    assert.match(error.message, /hook 'tell': action failed: \*{7}\n/);
    assert.match(error.message, /hook 'ask': action failed: SRVACTION_GONE not found: missing env var\n/);
    const [run] = await runsOf(srv);
    assert.equal(await outputOf(srv, run?.run_id ?? ''), '*******again: *******Error: action failed: *******\n');
  });

  it('answer unknown names as clients expect', async t => {
    const srv = await openServer(t);
    const refused = (status: number) => (error: unknown) => error instanceof ApiError && error.status === status;
    const run_id = 'coddo7tpocvs73ftd7u0';
    await assert.rejects(srv.client.listRepositoryRuns({ repository: 'nowhere' }), refused(404));
    await assert.rejects(srv.client.getRun({ repository, run_id }), refused(404));
    assert.deepEqual((await srv.client.listRunHooks({ repository, run_id })).results, []);
    await assert.rejects(srv.client.getRunHookOutput({ repository, run_id, hook_run_id: '0000_0000' }), refused(404));
  });
});
