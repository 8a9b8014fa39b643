import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@srv/kernel';
import { BucketRegions } from '../src/server/regions.js';
import { openClients } from './opened.js';

test('repeats an unanswered request after a minute', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let questions = 0;
  let reachable = false;
  const client = openClients({ accessKeyId: 'a', secretAccessKey: 's' }).in('us-east-1');
  t.mock.method(client, 'send', async () => {
    questions += 1;
    if (!reachable) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    return { BucketRegion: 'eu-central-1' };
  });
  const regions = new BucketRegions({ client, fallback: 'us-east-1', discover: true, log: silentLogger });
  assert.deepEqual(await Promise.all([regions.of('bucket'), regions.of('bucket')]), ['us-east-1', 'us-east-1']);
  assert.equal(questions, 1);
  reachable = true;
  t.mock.timers.tick(59_000);
  assert.equal(await regions.of('bucket'), 'us-east-1');
  t.mock.timers.tick(2000);
  assert.equal(await regions.of('bucket'), 'eu-central-1');
  assert.equal(await regions.of('other'), 'eu-central-1');
  assert.equal(questions, 3);
});

test('beyond rememberedBuckets: the region least in use is asked for again', async t => {
  const client = openClients({ accessKeyId: 'a', secretAccessKey: 's' }).in('us-east-1');
  const send = t.mock.method(client, 'send', async () => ({ BucketRegion: 'eu-central-1' }));
  const regions = new BucketRegions({ client, fallback: 'us-east-1', discover: true, log: silentLogger });
  for (let bucket = 0; bucket <= 1000; bucket += 1) await regions.of(`bucket-${bucket}`);
  assert.equal(send.mock.callCount(), 1001);
  await regions.of('bucket-1000');
  assert.equal(send.mock.callCount(), 1001);
  await regions.of('bucket-0');
  assert.equal(send.mock.callCount(), 1002);
});
