/** Twenty thousand broken requests: none may hang, answer 5xx, leave an object behind, or cost memory for good. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { heldBytes } from '@srv/kernel/testing';
import { brokenRequest } from './support/broken-requests.js';
import { exchange, send } from './support/raw.js';
import { createRepository, startServer, storedFiles } from './support/server.js';
import type { World } from './support/broken-requests.js';
import type { RawAnswer } from './support/raw.js';
import type { TestServer } from './support/server.js';

/** Requests per run, and the least milliseconds it takes. */
const requests = Number(process.env.SRV_FUZZ_REQUESTS ?? 20_000);
const duration = Number(process.env.SRV_FUZZ_MS ?? 0);
const seed = Number(process.env.SRV_TEST_SEED ?? Date.now() % 2 ** 31);
const parallel = 16;
/** Requests before memory is measured for the first time: code is compiled, buffers and caches are filled by then. */
const warmUp = Math.ceil(requests / 4);
const mebibyte = 2 ** 20;

let server: TestServer;
let world: World;

before(async () => {
  server = await startServer();
  const { port, kernel } = server;
  const engine = kernel.services.get('engine');
  await createRepository(server, 'repo');
  await createRepository(server, 'frozen', { readOnly: true });
  for (const name of ['there', 'dir/a', 'dir/b'])
    await send(port, { method: 'PUT', url: `/repo/main/${name}`, body: `the content of ${name}` });
  const { id } = await engine.commit('repo', 'main', { message: 'objects', committer: 'test' });
  await engine.createTag('repo', 'v1', id);
  await engine.createBranch('repo', 'guarded', 'main');
  kernel.hooks.guardBranch.tap('test', ({ branch, block }) => void (branch === 'guarded' && block()));
  const uploads = [];
  for (let i = 0; i < 20; i++) {
    const key = `main/upload/${i}`;
    const uploadId =
      /<UploadId>([^<]+)/.exec((await send(port, { method: 'POST', url: `/repo/${key}?uploads`, body: '' })).body)?.[1] ?? '';
    const { headers } = await send(port, { method: 'PUT', url: `/repo/${key}?partNumber=1&uploadId=${uploadId}`, body: 'part' });
    uploads.push({ key, uploadId, etag: headers.etag?.replaceAll('"', '') ?? '' });
  }
  world = { port, uploads };
});
after(() => server.stop());

/** Bytes in use once connections are closed and what waits for a collection has run. */
async function memory(): Promise<number> {
  let held = 0;
  for (let i = 0; i < 3; i++) {
    await sleep(50);
    held = heldBytes();
  }
  return held;
}

const connections = (): number => process.getActiveResourcesInfo().filter(name => name.startsWith('TCPSocket')).length;

async function shoot(number: number): Promise<RawAnswer> {
  const { kind, bytes, leaves, unframed } = brokenRequest(seed, number, world);
  const where = `request ${number} of SRV_TEST_SEED=${seed}, ${kind}: ${JSON.stringify(bytes.toString('latin1').slice(0, 2000))}`;
  const answer = await exchange(world.port, bytes, leaves ? 0 : unframed ? 300 : undefined).catch((error: unknown) => {
    assert.fail(`${String(error)}: ${where}`);
  });
  assert.ok(answer.status > 0 || leaves || unframed, `no answer to ${where}`);
  assert.ok(answer.status < 500 || answer.status === 501, `${answer.status} ${answer.code}, ${where}`);
  return answer;
}

/** Files of the block store that no entry and no upload needs. */
async function orphans(known: ReadonlySet<string>): Promise<string[]> {
  const { kernel, port } = server;
  const engine = kernel.services.get('engine');
  const addresses = new Set<string>();
  for (let offset = '', hasMore = true; hasMore; ) {
    const page = await engine.list('repo', 'main', { after: offset, amount: 1000 });
    for (const item of page.results) if (item.kind === 'object') addresses.add(item.entry.address);
    ({ hasMore, nextOffset: offset } = page);
  }
  for (let more = true; more; ) {
    const { body } = await send(port, { url: '/repo?uploads&delimiter=none&encoding-type=url' });
    const open = [...body.matchAll(/<Key>([^<]+)<\/Key><UploadId>([^<]+)/g)];
    for (const [, key = '', id = ''] of open)
      await send(port, { method: 'DELETE', url: `/repo/${key}?uploadId=${encodeURIComponent(id)}` });
    more = open.length > 0;
  }
  return storedFiles(server).filter(file => !known.has(file) && !addresses.has(file.slice(file.indexOf('data/'))));
}

test(`${requests} broken requests (SRV_TEST_SEED=${seed})`, async t => {
  const known = new Set(storedFiles(server).filter(file => file.includes('/data/')));
  const idle = connections();
  const began = Date.now();
  const statuses = new Map<string, number>();
  let number = 0;
  const runUntil = (isOver: () => boolean): Promise<unknown> =>
    Promise.all(
      Array.from({ length: parallel }, async () => {
        while (!isOver()) {
          const { status, code } = await shoot(number++);
          const name = `${status} ${code}`;
          statuses.set(name, (statuses.get(name) ?? 0) + 1);
        }
      }),
    );
  await runUntil(() => number >= warmUp);
  const before = await memory();
  await runUntil(() => number >= requests && Date.now() - began >= duration);
  const grown = (await memory()) - before;
  t.diagnostic(
    [...statuses]
      .sort(([, a], [, b]) => b - a)
      .map(([name, count]) => `${name.trim()}: ${count}`)
      .join(', '),
  );
  t.diagnostic(`${number} requests in ${Date.now() - began} ms, memory ${(grown / mebibyte).toFixed(1)} MiB more than after ${warmUp}`);
  assert.ok(grown < 16 * mebibyte, `${grown} bytes more than after ${warmUp} requests`);
  assert.ok(connections() <= idle, `${connections() - idle} connections are left open`);
  assert.deepEqual(await orphans(known), []);
  assert.equal((await send(world.port, { url: '/repo/main/dir/a' })).body, 'the content of dir/a');
  // Both sides of the net were tried: what is wrong was refused for many reasons, and some got through.
  assert.ok(statuses.size > Math.min(30, requests / 100), [...statuses.keys()].join(', '));
});

test('reports a real failure as such', async () => {
  server.kernel.hooks.gatewayOperation.for('HeadBucket').tapPromise('test', async () => {
    throw new Error('disk on fire');
  });
  assert.equal((await send(world.port, { method: 'HEAD', url: '/repo' })).status, 500);
});
