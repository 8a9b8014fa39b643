/** Hooks without the operation that would cause them: runs again, and rehearsals. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { until } from '@srv/kernel/testing';
import { ApiError, createClient } from '@srv/lib-api/client';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { runsRerun } from '../src/cli/rerun.js';
import actionOperations from '../src/operations.js';
import { actionFile, openServer } from './probe.js';
import type {} from '@srv/auth/contract';

const repository = 'repo';
type Opened = Awaited<ReturnType<typeof openServer>>;

const refused = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.status === status && message.test(error.message);

const ended = ({ client }: Pick<Opened, 'client'>, run_id: string) =>
  until(async () => {
    const run = await client.getRun({ repository, run_id });
    return run.status === 'running' ? undefined : run;
  });

const hooksOf = async ({ client }: Pick<Opened, 'client'>, run_id: string) =>
  (await client.listRunHooks({ repository, run_id })).results.map(({ hook_id, status }) => [hook_id, status]);

async function refuse(operation: Promise<unknown>): Promise<string> {
  let runId = '';
  await assert.rejects(operation, error => {
    runId = /run id '([0-9a-v]{20})'/.exec((error as Error).message)?.[1] ?? '';
    return runId !== '';
  });
  return runId;
}

describe('a run again', () => {
  it('has the event of the first run and the action files of now, and changes nothing in the repository', async t => {
    const srv = await openServer(t);
    const path = '_srv_actions/check.yaml';
    await srv.put('main', path, actionFile('check', ['pre-commit'], { first: {}, second: { fail: 'no' }, third: {} }));
    const body = { message: 'the message', metadata: { a: 'b' } };
    const first = await refuse(srv.client.commit({ repository, branch: 'main', body }));
    const { run_id: second } = await srv.client.rerunAction({ repository, run_id: first, body: {} });
    const run = await ended(srv, second);
    assert.deepEqual([run.status, run.repeats, run.event_type, run.branch], ['failed', first, 'pre-commit', 'main']);
    assert.equal((await srv.client.getRun({ repository, run_id: first })).repeats, undefined);
    const events = srv.probe.calls.map(({ event: { commit = {}, ...event } }) => ({ ...event, ...commit }));
    assert.deepEqual(
      events.map(({ type, branch, sourceRef, message, metadata }) => [type, branch, sourceRef, message, metadata]),
      events.map(() => ['pre-commit', 'main', 'main', 'the message', { a: 'b' }]),
    );
    await srv.put('main', path, actionFile('check', ['pre-commit'], { first: {}, second: {}, third: {} }));
    const { run_id: third } = await srv.client.rerunAction({ repository, run_id: first, body: {} });
    assert.equal((await ended(srv, third)).status, 'completed');
    assert.deepEqual(await hooksOf(srv, third), [
      ['first', 'completed'],
      ['second', 'completed'],
      ['third', 'completed'],
    ]);
    assert.equal((await srv.engine.log(repository, 'main')).results.length, 1, 'nothing was committed');
    await srv.client.commit({ repository, branch: 'main', body });
  });

  it('of one hook leaves the others and its condition out', async t => {
    const srv = await openServer(t);
    const file = actionFile('check', ['pre-merge'], { first: { fail: 'no' }, alarm: { if: 'failure()', say: 'alarm' } });
    await srv.client.createBranch({ repository, body: { name: 'dev', source: 'main' } });
    await srv.put('dev', '_srv_actions/check.yaml', file);
    await srv.client.commit({ repository, branch: 'dev', body: { message: 'dev' } });
    const first = await refuse(srv.client.mergeIntoBranch({ repository, sourceRef: 'dev', destinationBranch: 'main' }));
    const { results } = await srv.client.listRunHooks({ repository, run_id: first });
    const alarm = results.find(({ hook_id }) => hook_id === 'alarm');
    assert.ok(alarm);
    const { run_id: again } = await srv.client.rerunAction({ repository, run_id: first, body: { hook_run_id: alarm.hook_run_id } });
    await ended(srv, again);
    assert.deepEqual(await hooksOf(srv, again), [['alarm', 'completed']]);
    const { body } = await srv.client.getRunHookOutput({ repository, run_id: again, hook_run_id: '0000_0000' });
    assert.equal((await buffer(body)).toString(), 'alarm');
    const [merge, , repeated] = srv.probe.calls;
    assert.equal(repeated?.event.commitId, merge?.event.commitId, 'the candidate of the merge');
    assert.equal(repeated?.payload.merge_source, 'dev');
    assert.equal(repeated?.payload.commit_message, "Merge 'dev' into 'main'");
    const head = (await srv.engine.getBranch(repository, 'dev')).commitId;
    const actions = srv.kernel.services.get('actions');
    assert.deepEqual(
      (await actions.ofMerge(repository, head, 'main')).map(({ runId }) => runId),
      [again, first],
    );
    assert.deepEqual(await actions.ofMerge(repository, head, 'dev'), []);
  });

  it('is refused for unknown runs and hooks, runs in progress, files that no longer name it, and runs without a name of their tag', async t => {
    const srv = await openServer(t);
    const again = (run_id: string, hook_run_id?: string) =>
      srv.client.rerunAction({ repository, run_id, body: hook_run_id === undefined ? {} : { hook_run_id } });
    await assert.rejects(again('unknown'), refused(404, /run "unknown": not found/));
    await srv.put('main', '_srv_actions/a', actionFile('aa', ['pre-commit'], { note: { gate: 'go' } }));
    const commit = srv.client.commit({ repository, branch: 'main', body: { message: 'm' } });
    const running = await until(() => srv.probe.calls[0]?.event.runId);
    await assert.rejects(again(running), refused(409, /is in progress/));
    srv.probe.open('go');
    await commit;
    await assert.rejects(again(running, '0007_0000'), refused(404, /has no such hook/));
    await srv.put('main', '_srv_actions/a', actionFile('aa', ['pre-commit'], { other: {} }));
    await assert.rejects(again(running, '0000_0000'), refused(400, /hook note of action aa cannot be repeated/));
    await srv.engine.deleteObject(repository, 'main', '_srv_actions/a');
    await assert.rejects(again(running), refused(400, /cannot be repeated: no action file at main names pre-commit now/));
    const { encodeRun } = await import('../src/server/run-record.js');
    const now = new Date();
    const old = { runId: 'i9v2k0lpocvs73ftd7u0', branch: '', commitId: '', sourceRef: 'main', start: now, end: now, passed: false };
    const set = (eventType: string) =>
      srv.kernel.services.get('kv').set('actions', Buffer.from(`repos/repo/runs/${old.runId}`), encodeRun({ ...old, eventType }));
    await set('pre-create-tag');
    await assert.rejects(again(old.runId), refused(400, /recorded without the name of its tag/));
    await set('pre-lunch');
    await assert.rejects(again(old.runId), refused(400, /"pre-lunch", which is not an event here/));
  });

  it('of a tag has the name of the tag', async t => {
    const srv = await openServer(t);
    await srv.put('main', '_srv_actions/a', actionFile('aa', ['pre-create-tag'], { note: { fail: 'no' } }));
    await srv.engine.commit(repository, 'main', { committer: 'ann', message: 'm' });
    const first = await refuse(srv.client.createTag({ repository, body: { id: 'v1', ref: 'main' } }));
    const { run_id } = await srv.client.rerunAction({ repository, run_id: first, body: {} });
    await ended(srv, run_id);
    assert.deepEqual(
      srv.probe.calls.map(({ payload }) => payload.tag_id),
      ['v1', 'v1'],
    );
  });

  it('needs the permission to commit on the branch of the run, and to read runs', async t => {
    const srv = await openServer(t, { config: { 'auth.ui_config.rbac': 'internal' } });
    await srv.put('main', '_srv_actions/a', actionFile('aa', ['pre-commit'], { note: {} }));
    await srv.client.commit({ repository, branch: 'main', body: { message: 'm' } });
    const [run] = (await srv.client.listRepositoryRuns({ repository })).results;
    assert.ok(run);
    const auth = srv.kernel.services.get('auth');
    await auth.createUser({ username: 'tester' });
    const tester = createClient({
      operations: actionOperations,
      endpointUrl: srv.url,
      retries: { enabled: false },
      ...(await auth.createCredential('tester')),
    });
    t.after(() => tester.close());
    const allow = (action: string, resource: string) => ({
      effect: 'allow' as const,
      action: [action],
      resource: `arn:lakefs:fs:::${resource}`,
    });
    const [read, commit] = [allow('ci:ReadAction', 'repository/repo'), allow('fs:CreateCommit', 'repository/repo/branch/main')];
    const rerun = (run_id = run.run_id) => tester.rerunAction({ repository, run_id, body: {} });
    await auth.createPolicy('exact', [commit]);
    await auth.attachToUser('tester', 'exact');
    await assert.rejects(rerun(), refused(401, /not allowed to ci:ReadAction/));
    await assert.rejects(rerun('unknown'), refused(401, /not allowed/));
    await auth.updatePolicy('exact', [read, allow('fs:CreateCommit', 'repository/repo/branch/dev')]);
    await assert.rejects(rerun(), refused(401, /not allowed to fs:CreateCommit/));
    await auth.updatePolicy('exact', [read, commit]);
    await ended(srv, (await rerun()).run_id);
    assert.equal(srv.probe.calls.at(-1)?.event.user, 'tester');
  });

  it('by the command shows its hooks, and fails with them', async t => {
    const srv = await openServer(t);
    await srv.put('main', '_srv_actions/a', actionFile('aa', ['pre-commit'], { one: { say: 'hello' }, two: { fail: 'no' } }));
    const first = await refuse(srv.client.commit({ repository, branch: 'main', body: { message: 'm' } }));
    const fake = fakeContext({}, { client: () => Promise.resolve(srv.client) as never });
    const shown: string[] = [];
    const show = async (options: { readonly hook?: string }) => {
      const { data } = await runCommand([runsRerun], fake, 'actions runs rerun', ['srv://repo', first], options);
      for await (const { hook_id, status, output } of data as AsyncIterable<Record<string, string>>)
        shown.push(`${hook_id} ${status} ${output}`);
    };
    await assert.rejects(show({}), /^Error: run [0-9a-v]{20} failed/);
    await show({ hook: '0000_0000' });
    assert.deepEqual(shown, ['one completed hello', 'two failed Error: action failed: no\n', 'one completed hello']);
  });
});

describe('a rehearsal', () => {
  it('runs what the event would start, or says that it starts nothing', async t => {
    const srv = await openServer(t);
    const actions = srv.kernel.services.get('actions');
    const event = { type: 'pre-merge', branch: 'main', sourceRef: 'main', user: 'ann' } as const;
    assert.equal(await actions.rehearse(repository, event), undefined);
    await srv.put('main', '_srv_actions/a', actionFile('aa', ['pre-merge'], { note: {} }));
    const id = await actions.rehearse(repository, event);
    assert.ok(id);
    assert.equal((await ended(srv, id)).status, 'completed');
    await srv.put('main', '_srv_actions/b', 'name: "?"');
    await assert.rejects(
      actions.rehearse(repository, event),
      (error: unknown) => isSrvError(error, 'hook_aborted') && /parsing file/.test(error.message),
    );
  });

  it('leaves no index of its run when old runs are removed', async t => {
    const srv = await openServer(t);
    const { services } = srv.kernel;
    await srv.put('main', '_srv_actions/a', actionFile('aa', ['pre-merge'], { note: {} }));
    const id = await services.get('actions').rehearse(repository, { type: 'pre-merge', branch: 'main', sourceRef: 'main', user: 'ann' });
    await ended(srv, id ?? '');
    const { removeOldRuns } = await import('../src/server/retention.js');
    const { RunStore } = await import('../src/server/run-store.js');
    const [kv, block] = [services.get('kv'), services.get('block')];
    await removeOldRuns(
      await srv.engine.getRepository(repository),
      new RunStore({ kv, block, engine: srv.engine, folder: srv.engine.tables.prefix }),
      -1,
    );
    for await (const page of kv.scan('actions')) for (const { key } of page) assert.doesNotMatch(key.toString(), /^repos\//);
  });
});
