/** Signatures of directories, as the client library of Azure's file systems makes them (12.29). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StorageSharedKeyCredential } from '@azure/storage-blob';
import { rejectsWith } from '@srv/kernel/testing';
import { openAzureBlockStore } from '../src/server/open.js';
import { directorySas } from '../src/server/vend.js';
import type { DirectoryGrant } from '../src/server/vend.js';

const value = Buffer.from('a key of the tests').toString('base64');
const address = { account: 'acct', container: 'box', blob: 'repo/tables/sales/a-1/' };
const grant: DirectoryGrant = { address, mayWrite: false, expiry: new Date('2030-01-02T03:04:05Z'), protocol: 'https' };
const shared = new StorageSharedKeyCredential('acct', value);
const delegated = {
  signedObjectId: 'oid',
  signedTenantId: 'tid',
  signedStartsOn: new Date('2030-01-01T00:00:00Z'),
  signedExpiresOn: new Date('2030-01-02T04:04:05Z'),
  signedService: 'b',
  signedVersion: '2023-11-03',
  value,
};
const begin = 'sv=2023-11-03&spr=https&se=2030-01-02T03%3A04%3A05Z';

test('a directory is signed with the key of the account, or one that the service lends', () => {
  assert.equal(directorySas(grant, shared), `${begin}&sr=d&sp=rl&sig=S7Hp98xy6Oy1P5zER3BNix7JXOU4LCtPOjTQMzRtwbA%3D&sdd=4`);
  assert.equal(
    directorySas({ ...grant, mayWrite: true }, shared),
    `${begin}&sr=d&sp=racwl&sig=fmjOjlQERXSN3ygzI7yizVZlGlXU1cqXM3t%2BtuSUets%3D&sdd=4`,
  );
  const key = 'skoid=oid&sktid=tid&skt=2030-01-01T00%3A00%3A00Z&ske=2030-01-02T04%3A04%3A05Z&sks=b&skv=2023-11-03';
  assert.equal(directorySas(grant, delegated), `${begin}&${key}&sr=d&sp=rl&sig=yidzK8RPFaESgnN6gtkSXOg4wQqYmebBQWncd6jmoN4%3D&sdd=4`);
});

test('a whole container, and a directory deeper than the service allows, are refused', () => {
  for (const blob of ['', '/', 'd/'.repeat(21)])
    assert.throws(() => directorySas({ ...grant, address: { ...address, blob } }, shared), /a signature is for a directory/);
});

test('a store vends where it is configured to, for a directory', async () => {
  const options = { storageAccount: 'acct', storageAccessKey: value };
  const request = { mayWrite: true, durationMs: 3_600_000 };
  const plain = openAzureBlockStore(options);
  assert.equal(plain.vend, undefined);
  const store = openAzureBlockStore({ ...options, vendedCredentials: true });
  const vended = await store.vend?.('https://acct.blob.core.windows.net/box/repo/tables/x/', request);
  assert.ok(vended?.kind === 'azure');
  assert.deepEqual([vended.account, vended.host], ['acct', 'acct.dfs.core.windows.net']);
  const query = new URLSearchParams(vended.sas);
  assert.deepEqual([query.get('sr'), query.get('sp'), query.get('sdd')], ['d', 'racwl', '3']);
  assert.ok(Math.abs(vended.expiry.getTime() - Date.now() - request.durationMs) < 60_000);
  await rejectsWith(async () => store.vend?.('https://acct.blob.core.windows.net/box/', request), 'unsupported', /a whole container/);
  await Promise.all([plain.close(), store.close()]);
});
