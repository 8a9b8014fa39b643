/** `srv run --workers`: several servers on one port over one database. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@srv/engine/client';
import { hasFeature } from './feature-operations.js';
import { launchSrv, temporaryFolder, untilUp } from './programs.js';
import { administratorKey, openSharedStores } from './shared-stores.js';
import type { IncomingMessage } from 'node:http';
import type { TestContext } from 'node:test';
import type { RunningProcess } from './processes.js';

/** A database and a folder that processes can share, with an administrator. */
async function setUp(t: TestContext): Promise<{ readonly home: string; readonly env: Readonly<Record<string, string>> }> {
  const home = temporaryFolder(t);
  return { home, env: await openSharedStores(t, home) };
}

/** Process numbers of the workers, from the log. */
async function pidsOf(server: RunningProcess): Promise<number[]> {
  for (;;) {
    const told = /Workers +([\d ]+)\n/.exec(server.stderr)?.[1];
    if (told) return told.trim().split(' ').map(Number);
    await sleep(10);
  }
}

test('workers share the port; one that dies is replaced and none of its writes is lost', async t => {
  const { home, env } = await setUp(t);
  const server = launchSrv(home, ['run', '--workers', '2'], env);
  const url = await untilUp(server);
  const pids = await pidsOf(server);
  assert.equal(new Set(pids).size, 2);
  for (const worker of [1, 2]) assert.match(server.stdout, new RegExp(`^.*\\blistening\\b.* worker=${worker}\\b`, 'm'));
  const client = createClient({ endpointUrl: url, ...administratorKey });
  t.after(() => client.close());
  await client.createRepository({ body: { name: 'shared', storage_namespace: 'local://shared' } });

  const acknowledged: string[] = [];
  const write = async (worker: number): Promise<void> => {
    for (let i = 0; i < 40; i++) {
      const path = `${worker}/${i}`;
      if (worker === 0 && i === 10) process.kill(pids[0] ?? 0, 'SIGKILL');
      const written = await client.uploadObject({ repository: 'shared', branch: 'main', path, body: Buffer.from(path) }).then(
        () => true,
        () => false,
      );
      if (written) acknowledged.push(path);
    }
  };
  await Promise.all([0, 1, 2, 3].map(write));
  assert.ok(acknowledged.length >= 100, `only ${acknowledged.length} of 160 writes went through`);
  while (!/worker \d+ ended \(signal SIGKILL\); starting another one/.test(server.stderr)) await sleep(20);
  while (!/a worker ended and is being replaced.*process \d+, signal SIGKILL/.test(server.stdout)) await sleep(20);
  const commit = await client.commit({ repository: 'shared', branch: 'main', body: { message: 'all' } });
  for (const path of acknowledged) await client.statObject({ repository: 'shared', ref: commit.id, path });

  const { code, stderr } = await server.end('SIGINT');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /Shutting down\.\.\.\n$/);
  await assert.rejects(fetch(url));
});

/** One request on a connection of its own: another worker answers each. */
async function ask(url: string): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${administratorKey.accessKeyId}:${administratorKey.secretAccessKey}`).toString('base64')}`;
  const [response] = (await once(get(url, { agent: false, headers: { authorization } }), 'response')) as [IncomingMessage];
  return text(response);
}

test('one scrape, and one usage report, show the sum of all workers', async t => {
  const { home, env } = await setUp(t);
  const server = launchSrv(home, ['run', '--workers', '3'], env);
  const url = await untilUp(server);
  await pidsOf(server);
  for (let i = 0; i < 20; i++) await ask(`${url}/api/v1/repositories`);
  const requests = 'api_request_duration_seconds_count{operation="listRepositories",code="200"} 20';
  // Three workers, whose turn it is one after the other.
  for (let i = 0; i < 3; i++) {
    const page = await ask(`${url}/metrics`);
    assert.ok(
      page.split('\n').includes(requests),
      page
        .split('\n')
        .filter(line => line.includes('listRepositories'))
        .join('\n'),
    );
  }
  if (hasFeature('usage')) {
    const report = JSON.parse(await ask(`${url}/api/v1/usage-report/summary`)) as {
      readonly reports: readonly { readonly count: number }[];
    };
    assert.equal(report.reports.at(-1)?.count, 21);
  }
  // The numbers of a worker that ended are gone with it, and the others still answer.
  const [first = 0] = await pidsOf(server);
  process.kill(first, 'SIGKILL');
  while (!/starting another one/.test(server.stderr)) await sleep(20);
  assert.match(await ask(`${url}/metrics`), /^api_requests_total\{/m);
  const { code, stderr } = await server.end('SIGINT');
  assert.equal(code, 0, stderr);
});

test('a worker that is still starting does not make a stop unclean', async t => {
  const { home, env } = await setUp(t);
  const server = launchSrv(home, ['run', '--workers', '2'], env);
  await untilUp(server);
  const [first = 0] = await pidsOf(server);
  process.kill(first, 'SIGKILL');
  // The replacement is begun a second later, and takes a while.
  await sleep(1100);
  const { code, stderr } = await server.end('SIGINT');
  assert.equal(code, 0, stderr);
});

test('a connection on its way to a worker that is killed does not wait for ever', async t => {
  const home = temporaryFolder(t);
  const server = launchSrv(home, ['run', '--local-settings', '--workers', '2'], { SRV_LISTEN_ADDRESS: '127.0.0.1:0' });
  t.after(() => server.end('SIGKILL'));
  const { port } = new URL(await untilUp(server));
  const [first = 0] = await pidsOf(server);
  // It takes nothing any more, and so does not say that it has.
  process.kill(first, 'SIGSTOP');
  const ends = Array.from({ length: 10 }, async () => {
    const socket = connect({ port: Number(port), host: '127.0.0.1' });
    const ended = new Promise<void>(resolve => socket.on('error', () => undefined).once('close', () => resolve()));
    socket.write('GET /_health HTTP/1.1\r\nHost: srv\r\nConnection: close\r\n\r\n');
    socket.resume();
    await ended;
  });
  await sleep(300);
  process.kill(first, 'SIGKILL');
  await Promise.all(ends);
  // Its folder is removed next: no process may write there any more.
  const { code, stderr } = await server.end('SIGINT');
  assert.equal(code, 0, stderr);
});

test('workers need stores that processes can share', async t => {
  const home = temporaryFolder(t);
  const environment = { SRV_LISTEN_ADDRESS: '127.0.0.1:0', SRV_BLOCKSTORE_TYPE: 'mem' };
  const { code, stderr } = await launchSrv(home, ['run', '--local-settings', '--workers', '2'], environment).finished;
  assert.equal(code, 1);
  assert.equal(
    stderr,
    'srv: --workers 2: blockstore.type is mem, which one process alone can use; choose a shared one, or run without --workers\n',
  );
  const none = await launchSrv(home, ['run', '--local-settings', '--workers', '0']).finished;
  assert.equal(none.code, 1);
  assert.match(none.stderr, /it must be a whole number from 1 to 256/);
});
