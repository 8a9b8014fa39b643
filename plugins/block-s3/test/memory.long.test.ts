/** Large objects pass through in little memory. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { HeldPeak } from '@srv/kernel/testing';
import { noGateway, startGateway } from '@srv/test-servers/s3';
import { at, mebibyte, pattern } from './bodies.js';
import { openOver } from './opened.js';

const total = 200 * mebibyte;
const allowed = 100 * mebibyte;

test('200 MiB of unknown length go up, and come down, and less than 100 MiB are held', { skip: noGateway }, async t => {
  const server = await startGateway();
  t.after(() => server.close());
  const store = await openOver(server);
  const pointer = at(server.namespace, 'memory/object');
  const chunk = pattern(256 << 10);
  const held = new HeldPeak();
  const body = (function* () {
    for (let sent = 0; sent < total; sent += chunk.length) {
      held.pass(chunk.length);
      yield chunk;
    }
  })();
  const hash = createHash('sha256');
  await store.put(pointer, Readable.from(body, { objectMode: false }));
  const up = held.growth;
  let received = 0;
  for await (const part of await store.get(pointer)) {
    hash.update(part as Buffer);
    received += (part as Buffer).length;
    held.pass((part as Buffer).length);
  }
  assert.equal(received, total);
  const expected = createHash('sha256');
  for (let sent = 0; sent < total; sent += chunk.length) expected.update(chunk);
  assert.equal(hash.digest('hex'), expected.digest('hex'));
  t.diagnostic(`held ${Math.round(up / mebibyte)} MiB up, ${Math.round(held.growth / mebibyte)} MiB in all`);
  assert.ok(held.growth < allowed, `${held.growth} bytes were held`);
  await store.close();
});
