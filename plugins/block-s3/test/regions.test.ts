import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@srv/kernel';
import { BucketRegions } from '../src/server/regions.js';
import { openClients } from './opened.js';
import { record } from './recorded.js';

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

for (const [status, askedAgain] of [
  [301, true],
  [400, true],
  [403, true],
  [404, true],
  [502, true],
  [503, true],
  [405, false],
  [501, false],
] as const) {
  test(`a lookup answered with ${status} and without a region is ${askedAgain ? '' : 'not '}repeated after a minute`, async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isHealthy = false;
    const store = await record(t, (_request, response) => {
      response.writeHead(isHealthy ? 200 : status, isHealthy ? { 'x-amz-bucket-region': 'eu-central-1' } : {}).end();
    });
    const clients = openClients({ accessKeyId: 'a', secretAccessKey: 's' }, { endpoint: store.url });
    t.after(() => clients.close());
    const regions = new BucketRegions({ client: clients.in('us-east-1'), fallback: 'us-east-1', discover: true, log: silentLogger });
    assert.equal(await regions.of('bucket'), 'us-east-1');
    isHealthy = true;
    t.mock.timers.tick(59_000);
    assert.equal(await regions.of('bucket'), 'us-east-1');
    t.mock.timers.tick(2000);
    assert.equal(await regions.of('bucket'), askedAgain ? 'eu-central-1' : 'us-east-1');
    assert.equal(store.requests.length, askedAgain ? 2 : 1);
  });
}

test('a refusal that names the region is believed, and not repeated', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const store = await record(t, (_request, response) => {
    response.writeHead(403, { 'x-amz-bucket-region': 'eu-central-1' }).end();
  });
  const clients = openClients({ accessKeyId: 'a', secretAccessKey: 's' }, { endpoint: store.url });
  t.after(() => clients.close());
  const regions = new BucketRegions({ client: clients.in('us-east-1'), fallback: 'us-east-1', discover: true, log: silentLogger });
  assert.equal(await regions.of('bucket'), 'eu-central-1');
  t.mock.timers.tick(61_000);
  assert.equal(await regions.of('bucket'), 'eu-central-1');
  assert.equal(store.requests.length, 1);
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
