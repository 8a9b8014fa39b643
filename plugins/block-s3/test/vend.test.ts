/** Credentials for one prefix: what is asked of the token service, and what their policies allow. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { allows, startRoles } from '@srv/test-servers/sts-roles';
import { maxKept, sessionPolicy } from '../src/server/vend.js';
import { accessKeyId, openAt, secretAccessKey } from './opened.js';
import type { BlockStore } from '@srv/lib-stores/block';
import type { RoleServer, SessionPolicy } from '@srv/test-servers/sts-roles';

const role = 'arn:aws:iam::123456789012:role/tables';
const key = { accessKeyId, secretAccessKey };
const hour = 3_600_000;
const open = (sts: string, more: object = {}): Promise<BlockStore> =>
  openAt('http://127.0.0.1:9', { 'vended_credentials.role_arn': role, 'vended_credentials.sts_endpoint': sts, ...more });

let roles: RoleServer;
before(async () => {
  roles = await startRoles({ url: 'http://127.0.0.1:9', ...key });
});
after(() => roles.close());

test('a role is assumed for a prefix, once for the clients that ask in the first half of its time', async () => {
  const store = await open(roles.stsUrl, { 'vended_credentials.external_id': 'ours' });
  const vend = (uri: string, mayWrite = false) => store.vend?.(uri, { mayWrite, durationMs: hour });
  const first = await vend('s3://bucket/repo/tables/a/');
  assert.ok(first?.kind === 's3' && first.sessionToken !== '' && first.endpoint === 'http://127.0.0.1:9' && first.forcePathStyle);
  assert.ok(Math.abs(first.expiry.getTime() - Date.now() - hour) < 60_000);
  assert.deepEqual(await vend('s3://bucket/repo/tables/a/'), first);
  await vend('s3://bucket/repo/tables/a/', true);
  await vend('s3://bucket/repo/tables/b/');
  assert.equal(roles.assumed.length, 3);
  const { RoleArn, ExternalId, DurationSeconds, Policy = '' } = roles.assumed[0] ?? {};
  assert.deepEqual([RoleArn, ExternalId, DurationSeconds], [role, 'ours', '3600']);
  assert.deepEqual(
    JSON.parse(Policy),
    sessionPolicy({ bucket: 'bucket', key: 'repo/tables/a/' }, { mayWrite: false, partition: 'aws', encryption: {} }),
  );
  await store.close();
});

test('beyond maxKept: the credentials of the prefix that was asked for the longest time ago are forgotten', async () => {
  const store = await open(roles.stsUrl);
  const vend = (index: number) => store.vend?.(`s3://bucket/many/${index}/`, { mayWrite: false, durationMs: hour });
  for (let index = 0; index <= maxKept; index++) await vend(index);
  const asked = roles.assumed.length;
  await vend(maxKept);
  await vend(1);
  assert.equal(roles.assumed.length, asked);
  await vend(0);
  assert.equal(roles.assumed.length, asked + 1);
  await store.close();
});

test('the time is one that the service gives', async () => {
  const store = await open(roles.stsUrl);
  for (const [durationMs, seconds] of [
    [1000, '900'],
    [100 * hour, '43200'],
  ] as const) {
    await store.vend?.('s3://bucket/time/', { mayWrite: false, durationMs });
    assert.equal(roles.assumed.at(-1)?.['DurationSeconds'], seconds);
  }
  await store.close();
});

test('credentials are shared for half of the time that the service gave, however long they were asked for', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const store = await open(roles.stsUrl);
  for (const [durationMs, givenMs] of [
    [168 * hour, 12 * hour],
    [1000, hour / 4],
  ] as const) {
    const vend = () => store.vend?.('s3://bucket/shared/', { mayWrite: false, durationMs });
    const first = await vend();
    t.mock.timers.tick(givenMs / 2 - 60_000);
    assert.deepEqual(await vend(), first);
    t.mock.timers.tick(120_000);
    const second = await vend();
    assert.ok(first && second && second.expiry.getTime() >= Date.now() + givenMs - 1000);
    assert.notDeepEqual(second, first);
  }
  await store.close();
});

test('clients that ask at the same time share credentials', async () => {
  const store = await open(roles.stsUrl);
  const asked = roles.assumed.length;
  const vend = () => store.vend?.('s3://bucket/together/', { mayWrite: false, durationMs: hour });
  const [first, second] = await Promise.all([vend(), vend()]);
  assert.deepEqual(second, first);
  assert.equal(roles.assumed.length, asked + 1);
  await store.close();
});

test('a refusal of the token service says so, and is not kept', async () => {
  const store = await open(roles.stsUrl, { 'credentials.secret_access_key': 'another' });
  const request = { mayWrite: false, durationMs: hour };
  for (let i = 0; i < 2; i++) await rejectsWith(async () => store.vend?.('s3://bucket/x/', request), 'forbidden', /credentials/);
  await rejectsWith(async () => store.vend?.('s3://bucket/x', request), 'invalid', /ends in a slash/);
  await store.close();
});

test('without a role no credentials are vended, and bad values are refused', async () => {
  const store = await openAt('http://127.0.0.1:9');
  assert.equal(store.vend, undefined);
  await store.close();
  await rejectsWith(
    () => openAt('http://127.0.0.1:9', { 'vended_credentials.role_arn': 'tables' }),
    'config',
    /tables is not a role; write arn:aws:iam/,
  );
  await rejectsWith(() => openAt('http://127.0.0.1:9', { 'vended_credentials.external_id': 'x' }), 'config', /external_id is set without/);
});

test('a policy allows what is below the prefix and nothing else, whatever characters the prefix has', () => {
  for (const name of ['repo/tables/a', 'we*rd/t?b/$x', 'a/b ü%/${y}']) {
    const writer = sessionPolicy(
      { bucket: 'bucket', key: `${name}/` },
      { mayWrite: true, partition: 'aws', encryption: {} },
    ) as SessionPolicy;
    const reader = sessionPolicy(
      { bucket: 'bucket', key: `${name}/` },
      { mayWrite: false, partition: 'aws', encryption: {} },
    ) as SessionPolicy;
    const may = (policy: SessionPolicy, action: string, path: string, bucket = 'bucket') =>
      allows(policy, { action: `s3:${action}`, resource: `arn:aws:s3:::${bucket}/${path}` });
    const lists = (policy: SessionPolicy, prefix: string) =>
      allows(policy, { action: 's3:ListBucket', resource: 'arn:aws:s3:::bucket', prefix });
    for (const policy of [writer, reader]) {
      assert.ok(may(policy, 'GetObject', `${name}/data/1.parquet`), name);
      assert.ok(lists(policy, `${name}/`) && lists(policy, `${name}/data`));
      assert.ok(!lists(policy, '') && !lists(policy, name) && !lists(policy, `${name}2/`));
      for (const other of [`${name}2/x`, `${name}`, 'repo/tables/x', 'we-rd/tab/$x/1', `x${name}/1`])
        assert.ok(!may(policy, 'GetObject', other), other);
      assert.ok(!may(policy, 'GetObject', `${name}/data/1.parquet`, 'bucket2'));
      assert.ok(!may(policy, 'DeleteObject', `${name}/data/1.parquet`));
    }
    assert.ok(may(writer, 'PutObject', `${name}/data/1.parquet`));
    assert.ok(!may(reader, 'PutObject', `${name}/data/1.parquet`));
  }
});

test('a policy of an encrypted store allows its key', () => {
  const encryption = { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: 'arn:aws:kms:us-east-1:1:key/k' } as const;
  const text = JSON.stringify(sessionPolicy({ bucket: 'b', key: 'k/' }, { mayWrite: true, partition: 'aws-cn', encryption }));
  assert.match(text, /"kms:Decrypt","kms:GenerateDataKey"\],"Resource":\["arn:aws:kms:us-east-1:1:key\/k"\]/);
  assert.match(text, /arn:aws-cn:s3:::b\/k\/\*/);
});
