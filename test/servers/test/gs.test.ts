import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { startFakeGcsServer, startGs } from '../src/gs.js';
import { Crc32c } from '../src/gs-crc32c.js';
import { NeedsError } from '../src/test-server.js';
import type { GsServer } from '../src/gs.js';

async function keepsData(server: GsServer): Promise<void> {
  assert.equal(await server.createBucket('kept'), 'gs://kept');
  assert.equal(await server.createBucket('kept'), 'gs://kept');
  const object = `${server.url}/storage/v1/b/kept/o/x`;
  const made = await fetch(`${server.url}/upload/storage/v1/b/kept/o?uploadType=media&name=x`, { method: 'POST', body: 'kept bytes' });
  assert.equal(made.status, 200);
  await server.stop();
  await assert.rejects(() => fetch(object));
  await server.start();
  assert.equal(await (await fetch(`${object}?alt=media`)).text(), 'kept bytes');
  assert.deepEqual(Object.keys(JSON.parse(server.credentialsJson) as object).sort(), ['client_email', 'private_key', 'project_id', 'type']);
  assert.equal(server.env['SRV_BLOCKSTORE_GS_TEST_ENDPOINT_URL'], server.url);
  await server.close();
  await assert.rejects(() => fetch(object));
}

test('the fake keeps address and data over a stop, and leaves nothing when closed', async () => {
  const server = await startGs();
  const { folder } = server.fake.objects;
  assert.equal(existsSync(folder), true);
  await keepsData(server);
  assert.equal(existsSync(folder), false);
});

test('fake-gcs-server keeps address and data over a stop', async t => {
  try {
    await keepsData(await startFakeGcsServer());
  } catch (error) {
    if (!(error instanceof NeedsError)) throw error;
    t.skip(`needs ${error.message}`);
  }
});

test('the fake lets browsers in as the rules of a bucket say', async t => {
  const server = await startGs();
  t.after(() => server.close());
  await server.createBucket('open');
  const body = JSON.stringify({ cors: [{ origin: ['http://page.example'], method: ['PUT'], responseHeader: ['Content-Type', 'ETag'] }] });
  await fetch(`${server.url}/storage/v1/b/open`, { method: 'PATCH', body });
  const ask = async (origin: string, method: string, sent: string, bucket = 'open'): Promise<string | null> => {
    const headers = { origin, 'access-control-request-method': method, 'access-control-request-headers': sent };
    return (await fetch(`${server.url}/${bucket}/x`, { method: 'OPTIONS', headers })).headers.get('access-control-allow-origin');
  };
  assert.equal(await ask('http://page.example', 'PUT', 'content-type'), 'http://page.example');
  for (const [origin, method, sent, bucket] of [
    ['http://other.example', 'PUT', 'content-type', 'open'],
    ['http://page.example', 'DELETE', 'content-type', 'open'],
    ['http://page.example', 'PUT', 'x-other', 'open'],
    ['http://page.example', 'PUT', 'content-type', 'none'],
  ] as const)
    assert.equal(await ask(origin, method, sent, bucket), null, `${origin} ${method} ${sent} ${bucket}`);
  const answer = await fetch(`${server.url}/open/x`, { method: 'PUT', headers: { origin: 'http://page.example' }, body: 'x' });
  assert.equal(answer.headers.get('access-control-expose-headers'), 'Content-Type, ETag');
});

test('CRC-32C of the check value, in one piece and in many', () => {
  assert.equal(new Crc32c().update(Buffer.from('123456789')).digest('hex'), 'e3069283');
  const bytes = randomBytes(1000);
  const pieces = new Crc32c();
  for (let at = 0; at < bytes.length; at += 7) pieces.update(bytes.subarray(at, at + 7));
  assert.equal(pieces.digest('base64'), new Crc32c().update(bytes).digest('base64'));
});
