/** Large files that arrive while their repository moves to another storage namespace: their bytes are in the one that it has left. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { until } from '@srv/kernel/testing';
import { sendRaw } from '@srv/lib-api/testing';
import { json, line, startHub } from './support/server.js';
import type { TestContext } from 'node:test';
import type { HubServer } from './support/server.js';

let server: HubServer;
let moves = 0;
before(async () => {
  server = await startHub({ 'graveler.reposiory_cache.ttl': '30ms', 'graveler.reposiory_cache.jitter': '0s' });
  await server.engine.createRepository({ id: 'zoo', storageNamespace: 'local://zoo' });
});
after(() => server.stop());

/** The repository moves right before the next call of a method of the block store runs. */
function movesDuring(t: TestContext, method: 'put' | 'completeMultipart'): void {
  const block = server.kernel.services.get('block');
  const real = block[method].bind(block) as (...args: unknown[]) => Promise<unknown>;
  const { mock } = t.mock.method(block as unknown as Record<string, typeof real>, method, async (...args: unknown[]) => {
    mock.restore();
    await server.engine.startStorageMove('zoo', { storageId: '', storageNamespace: `local://zoo-${++moves}` });
    await until(async () => !(await server.engine.storageMove('zoo')).isRunning);
    assert.equal((await server.engine.storageMove('zoo')).phase, 'done');
    return real(...args);
  });
}

interface Upload {
  readonly href: string;
  readonly header: Readonly<Record<string, string>>;
}

async function ask({ oid, size }: { readonly oid: string; readonly size: number }): Promise<Upload | undefined> {
  const answer = await server.hub('POST', '/datasets/srv/zoo.git/info/lfs/objects/batch', {
    body: JSON.stringify({ operation: 'upload', transfers: ['basic', 'multipart'], objects: [{ oid, size }] }),
  });
  const [object] = json(answer)['objects'] as readonly { readonly actions?: { readonly upload: Upload } }[];
  return object?.actions?.upload;
}

const send = (href: string, method: string, body: Buffer) => sendRaw(server.url, new URL(href).pathname, { method, body });
const fileOf = (content: Buffer) => ({ content, oid: createHash('sha256').update(content).digest('hex'), size: content.length });

async function demandCommitted(path: string, { oid, size, content }: ReturnType<typeof fileOf>): Promise<void> {
  const body = line('header', { summary: 'large', description: '' }) + line('lfsFile', { path, algo: 'sha256', oid, size });
  assert.equal((await server.hub('POST', '/api/datasets/srv/zoo/commit/main', { body })).status, 200);
  assert.ok((await server.hub('GET', `/datasets/srv/zoo/resolve/main/${path}`)).bytes.equals(content));
}

test('a file is refused, and taken when it is sent again', async t => {
  const file = fileOf(randomBytes(100_000));
  const { href = '' } = (await ask(file)) ?? {};
  movesDuring(t, 'put');
  assert.equal((await send(href, 'PUT', file.content)).status, 503);
  assert.ok(await ask(file), 'it is asked for again');
  assert.equal((await send(href, 'PUT', file.content)).status, 200);
  await demandCommitted('whole.bin', file);
});

test('a file in parts is refused, and taken when it is sent again from its beginning', async t => {
  const file = fileOf(Buffer.alloc((32 << 20) + 1000, 'two parts, '));
  const sendAll = async () => {
    const { href = '', header = {} } = (await ask(file)) ?? {};
    const length = Number(header['chunk_size']);
    const parts: object[] = [];
    for (const number of [1, 2]) {
      const sent = await send(header[`0000${number}`] ?? '', 'PUT', file.content.subarray((number - 1) * length, number * length));
      assert.equal(sent.status, 200, sent.body);
      parts.push({ partNumber: number, etag: sent.headers.etag });
    }
    return () => send(href, 'POST', Buffer.from(JSON.stringify({ parts })));
  };
  const complete = await sendAll();
  movesDuring(t, 'completeMultipart');
  assert.equal((await complete()).status, 503);
  assert.equal((await complete()).status, 409);
  assert.equal((await (await sendAll())()).status, 200);
  await demandCommitted('parts.bin', file);
});
