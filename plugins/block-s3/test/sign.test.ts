import assert from 'node:assert/strict';
import { test } from 'node:test';
import { preSigned, signRead } from '../src/server/sign.js';
import { openClients } from './opened.js';

test('a URL ends when the credentials do, if that is sooner', async () => {
  const expiration = new Date(Date.now() + 600_000);
  const clients = openClients(async () => ({ accessKeyId: 'a', secretAccessKey: 's', sessionToken: 't', expiration }));
  const client = clients.preSigning('us-east-1');
  const sign = signRead({ client, bucket: 'bucket', key: 'x', address: 's3://bucket/x' }, undefined);
  const long = await preSigned(client, sign, 3_600_000);
  assert.deepEqual(long.expiry, expiration);
  assert.equal(new URL(long.url).searchParams.get('X-Amz-Security-Token'), 't');
  const short = await preSigned(client, sign, 60_000);
  assert.ok(short.expiry && short.expiry < expiration);
  clients.close();
});
