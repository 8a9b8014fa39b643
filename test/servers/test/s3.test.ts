import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { s3ServerNames, startS3 } from '../src/s3.js';
import { NeedsError } from '../src/test-server.js';

for (const name of s3ServerNames) {
  test(`${name} starts, stops, and comes back at the same address`, async t => {
    try {
      const server = await startS3(name);
      t.after(() => server.close());
      assert.equal(server.env['SRV_BLOCKSTORE_S3_ENDPOINT'], server.url);
      assert.ok(server.namespace.startsWith('s3://') && !server.namespace.endsWith('/'));
      // Unsigned: any answer shows that it is there.
      assert.ok((await fetch(server.url, { redirect: 'manual' })).status > 0);
      await server.stop();
      await assert.rejects(() => fetch(server.url));
      await server.start();
      assert.ok((await fetch(server.url, { redirect: 'manual' })).status > 0);
    } catch (error) {
      if (!(error instanceof NeedsError)) throw error;
      t.skip(`needs ${error.message}`);
    }
  });
}

test('a program that a variable names wrongly is needed', async t => {
  const before = process.env['SRV_TEST_VERSITYGW'];
  t.after(() => {
    if (before === undefined) delete process.env['SRV_TEST_VERSITYGW'];
    else process.env['SRV_TEST_VERSITYGW'] = before;
  });
  process.env['SRV_TEST_VERSITYGW'] = '/nowhere/versitygw';
  assert.equal(existsSync('/nowhere/versitygw'), false);
  await assert.rejects(() => startS3('versitygw'), NeedsError);
});
