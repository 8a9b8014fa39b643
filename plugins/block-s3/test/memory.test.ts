/** Large objects pass through in little memory. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { noGateway, startGateway } from '@srv/test-servers/s3';
import { at, mebibyte, pattern } from './bodies.js';
import { openOver } from './opened.js';

const total = 200 * mebibyte;
const allowedGrowth = 128 * mebibyte;

test('200 MiB of unknown length go up, and come down, in less than 128 MiB', { skip: noGateway }, async t => {
  const server = await startGateway();
  t.after(() => server.close());
  const store = await openOver(server);
  const pointer = at(server.namespace, 'memory/object');
  const chunk = pattern(256 << 10);
  const body = (bytes: number): Readable =>
    Readable.from(
      (function* () {
        for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
      })(),
      { objectMode: false },
    );
  const hash = createHash('sha256');
  // What the first use loads does not count.
  await store.put(pointer, body(mebibyte));
  const before = process.memoryUsage.rss();
  let most = before;
  const sampling = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  t.after(() => clearInterval(sampling));
  await store.put(pointer, body(total));
  const up = most - before;
  let received = 0;
  for await (const part of await store.get(pointer)) {
    hash.update(part as Buffer);
    received += (part as Buffer).length;
  }
  assert.equal(received, total);
  const expected = createHash('sha256');
  for (let sent = 0; sent < total; sent += chunk.length) expected.update(chunk);
  assert.equal(hash.digest('hex'), expected.digest('hex'));
  t.diagnostic(`grew by ${Math.round(up / mebibyte)} MiB up, ${Math.round((most - before) / mebibyte)} MiB in all`);
  assert.ok(most - before < allowedGrowth, `the process grew by ${Math.round((most - before) / mebibyte)} MiB`);
  await store.close();
});
