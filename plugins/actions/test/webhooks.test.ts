/** The hook types of the workspace at the events of a whole server. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { it } from 'node:test';
import { until } from '@srv/kernel/testing';
import { ApiError } from '@srv/lib-api/client';
import { startWebhookReceiver } from '@srv/test-servers';
import { startAirflow } from '@srv/test-servers/airflow';
import { openServer } from './probe.js';
import type { TestContext } from 'node:test';

const repository = 'repo';
const main = { repository, branch: 'main' };

async function open(t: TestContext) {
  const receiver = await startWebhookReceiver();
  t.after(() => receiver.close());
  const srv = await openServer(t, { plugins: ['hook-webhook', 'hook-airflow'] });
  const file = (on: readonly string[], properties: object, type = 'webhook') =>
    srv.put(
      'main',
      '_lakefs_actions/hook.yaml',
      JSON.stringify({ name: 'hooks', on: Object.fromEntries(on.map(e => [e, null])), hooks: [{ id: 'tell', type, properties }] }),
    );
  return { ...srv, receiver, file };
}

it('a commit calls its receiver twice before and once after it', async t => {
  const { receiver, file, client, put } = await open(t);
  await file(['prepare-commit', 'pre-commit', 'post-commit'], { url: `${receiver.url}/hook` });
  receiver.answer(({ body }, response) => {
    const { event_type: type } = JSON.parse(body) as { readonly event_type: string };
    // A receiver writes to the branch while the operation waits for it.
    const write = type === 'post-commit' ? Promise.resolve() : put('main', `written at ${type}`, type);
    void write.then(() => response.end('ok'));
  });
  const { id } = await client.commit({ ...main, body: { message: 'm' } });
  await until(() => receiver.received[2]);
  assert.deepEqual(
    receiver.received.map(({ body }) => (JSON.parse(body) as { readonly event_type: string }).event_type),
    ['prepare-commit', 'pre-commit', 'post-commit'],
  );
  const committed = await client.listObjects({ repository, ref: id, prefix: 'written' });
  assert.deepEqual(
    committed.results.map(({ path }) => path),
    ['written at prepare-commit'],
  );
  const { results } = await client.diffBranch({ ...main });
  assert.deepEqual(
    results.map(({ path }) => path),
    ['written at pre-commit'],
  );
});

it('a receiver that refuses or is slow leaves the branch as it was', async t => {
  const { receiver, file, client, engine } = await open(t);
  const before = (await engine.getBranch(repository, 'main')).commitId;
  const refusal = async (): Promise<string> => {
    const error: unknown = await client.commit({ ...main, body: { message: 'm' } }).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ApiError && error.status === 412, String(error));
    assert.equal((await engine.getBranch(repository, 'main')).commitId, before);
    return error.message;
  };
  await file(['pre-commit'], { url: receiver.url });
  receiver.answer((_, response) => response.writeHead(500).end('no'));
  assert.match(await refusal(), /hook 'tell': action failed: webhook request failed \(status code: 500\)\n\n$/);
  await file(['pre-commit'], { url: receiver.url, timeout: '200ms' });
  receiver.answer(() => undefined);
  assert.match(await refusal(), /action failed: Post .*: context deadline exceeded \(Client.Timeout exceeded/);
  await file(['pre-commit'], { url: receiver.url });
  receiver.answer((_, response) => response.end('yes'));
  await client.commit({ ...main, body: { message: 'm' } });
});

it('a value of the environment reaches the receiver and no output', async t => {
  process.env['SRVACTION_HOOK'] = 'known to two';
  t.after(() => delete process.env['SRVACTION_HOOK']);
  const { receiver, file, client } = await open(t);
  await file(['pre-commit'], {
    url: receiver.url,
    headers: { 'X-Key': '{{ ENV.SRVACTION_HOOK }}' },
    query_params: { key: '{{ ENV.SRVACTION_HOOK }}' },
  });
  receiver.answer(({ headers, url }, response) => response.writeHead(400).end(`you sent ${String(headers['x-key'])} to ${url}`));
  const error: unknown = await client.commit({ ...main, body: { message: 'm' } }).catch((thrown: unknown) => thrown);
  const [event] = receiver.received;
  assert.equal(event?.headers['x-key'], 'known to two');
  assert.equal(event.url, '/?key=known+to+two');
  assert.doesNotMatch(String(error), /known to two/);
  const { results } = await client.listRepositoryRuns({ repository });
  const { body } = await client.getRunHookOutput({ repository, run_id: results[0]?.run_id ?? '', hook_run_id: '0000_0000' });
  const output = (await buffer(body)).toString();
  assert.match(output, /X-Key: \*{7}\n/);
  assert.match(output, /you sent \*{7} to \/\?key=\*{7}/);
  assert.doesNotMatch(output, /known.to.two/);
});

it('a tag starts a DAG', async t => {
  const airflow = await startAirflow();
  t.after(() => airflow.close());
  const { file, client } = await open(t);
  const { url, dagId: dag_id, username, password } = airflow;
  await file(['pre-create-tag'], { url, dag_id, username, password }, 'airflow');
  await client.commit({ ...main, body: { message: 'm' } });
  await client.createTag({ repository, body: { id: 'v1', ref: 'main' } });
  const { conf, dag_run_id: id } = JSON.parse(airflow.received[0]?.body ?? '') as {
    readonly conf: { readonly lakeFS_event: object };
    readonly dag_run_id: string;
  };
  assert.equal((conf.lakeFS_event as { readonly tag_id: string }).tag_id, 'v1');
  const { results } = await client.listRepositoryRuns({ repository });
  assert.equal(id, `lakeFS_hook_tell_${results[0]?.run_id}`);
});
