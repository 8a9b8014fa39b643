/** Records with fields of a newer release, changed by this one: the fields stay. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryKvStore } from '@srv/kernel/testing';
import { ProtoWriter } from '@srv/lib-records';
import { authPartition } from '../src/server/storage/keys.js';
import { decodeGroup, decodePolicy, decodeUser, encodeGroup, encodePolicy, encodeUser } from '../src/server/storage/records.js';
import { Table } from '../src/server/storage/table.js';
import { startAuth } from './support/auth-server.js';

const newer = new ProtoWriter().string(150, 'from a newer release').finish();
const createdAt = new Date('2026-11-30T12:00:00Z');
const bare = { friendlyName: '', email: '', encryptedPassword: Buffer.alloc(0), source: '', externalId: '' };

async function append(kv: MemoryKvStore, key: string): Promise<void> {
  const found = await kv.get(authPartition, Buffer.from(key));
  assert.ok(found, key);
  await kv.set(authPartition, Buffer.from(key), Buffer.concat([found.value, newer]));
}

const isKept = async (kv: MemoryKvStore, key: string): Promise<boolean> =>
  (await kv.get(authPartition, Buffer.from(key)))?.value.includes(newer) ?? false;

/** Changes of a record in both ways: by a copy of the old one, and by a value that is made afresh. */
async function isKeptByTable<T extends object>(
  prefix: string,
  value: T,
  codec: { encode: (value: T) => Buffer; decode: (bytes: Buffer) => T },
): Promise<readonly boolean[]> {
  const kv = new MemoryKvStore();
  const table = new Table(kv, { partition: authPartition, prefix, kind: 'record', ...codec });
  await table.create('x', value);
  await append(kv, `${prefix}x`);
  await table.update('x', old => ({ ...old }));
  const copied = await isKept(kv, `${prefix}x`);
  await table.replace('x', value);
  assert.deepEqual(await table.get('x').then(codec.encode), Buffer.concat([codec.encode(value), newer]));
  return [copied, await isKept(kv, `${prefix}x`)];
}

test('users, groups and policies keep them', async () => {
  const user = { ...bare, createdAt, username: 'x' };
  assert.deepEqual(await isKeptByTable('users/', user, { encode: encodeUser, decode: decodeUser }), [true, true]);
  assert.deepEqual(await isKeptByTable('groups/', { id: 'x', createdAt }, { encode: encodeGroup, decode: decodeGroup }), [true, true]);
  const policy = { id: 'x', createdAt, statement: [] };
  assert.deepEqual(await isKeptByTable('policies/', policy, { encode: encodePolicy, decode: decodePolicy }), [true, true]);
});

test('a policy that is updated by the service keeps them', async t => {
  const kv = new MemoryKvStore();
  const kernel = await startAuth(kv, 'internal');
  t.after(() => kernel.stop());
  const auth = kernel.services.get('auth');
  await auth.createPolicy('readers', [{ effect: 'allow', action: ['fs:Read*'], resource: '*' }]);
  await append(kv, 'policies/readers');
  await auth.updatePolicy('readers', [{ effect: 'allow', action: ['fs:List*'], resource: '*' }]);
  assert.equal(await isKept(kv, 'policies/readers'), true);
  assert.deepEqual((await auth.getPolicy('readers')).statement, [{ effect: 'allow', action: ['fs:List*'], resource: '*' }]);
});
