import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Config, definePlugin, silentLogger } from '@srv/kernel';
import { createTestKernel, rejectsWith } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import section from '../src/config.js';
import plugin from '../src/server/index.js';
import { openAzureBlockStore } from '../src/server/open.js';
import { at, useAzurite } from './azurite.js';
import type { Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';

const { server, open } = useAzurite();
const entries = (values: Record<string, unknown>) => Object.entries(values).map(([key, raw]) => ({ key, raw, source: 'test' }));

/** The store of a kernel configured with `values`, and what was logged. */
async function opened(values: Record<string, unknown>): Promise<{ block: BlockStore; logged: string[]; stop: () => Promise<void> }> {
  const logged: string[] = [];
  const log: Logger = { ...silentLogger, warn: (_, message) => void logged.push(message), child: () => log };
  const logging = definePlugin({ name: 'logging', apply: kernel => kernel.services.provide('log', log) });
  const kernel = await createTestKernel({ plugins: [logging, { plugin, section }], config: { 'blockstore.type': 'azure', ...values } });
  return { block: kernel.services.get('block'), logged, stop: () => kernel.stop() };
}

test('the configured store serves the configured account', async () => {
  const { block, stop } = await opened({
    'blockstore.azure.storage_account': server().account,
    'blockstore.azure.storage_access_key': server().accessKey,
    'blockstore.azure.domain': 'azurite.test',
    'blockstore.azure.test_endpoint_url': server().url,
    'blockstore.azure.pre_signed_expiry': '5m',
    'blockstore.azure.try_timeout': '30s',
  });
  await block.put(at('configured'), Buffer.from('x'));
  assert.equal((await block.properties(at('configured'))).size, 1);
  const { expiry } = await block.preSign(at('configured'), 'read');
  assert.ok(expiry && Math.abs(expiry.getTime() - Date.now() - 5 * 60_000) < 60_000);
  await stop();
  await rejectsWith(() => block.exists(at('configured')), 'closed');
});

test('sends no request at start, so an unreachable endpoint does not prevent it', async () => {
  const { block, stop } = await opened({
    'blockstore.azure.domain': 'azurite.test',
    'blockstore.azure.test_endpoint_url': 'http://127.0.0.1:1/a',
  });
  assert.equal(block.type, 'azure');
  await stop();
});

test('facts follow the configuration', async () => {
  for (const [values, preSign, preSignUi] of [
    [{}, true, false],
    [{ 'blockstore.azure.disable_pre_signed_ui': false }, true, true],
    [{ 'blockstore.azure.disable_pre_signed': true, 'blockstore.azure.disable_pre_signed_ui': false }, false, false],
  ] as const) {
    const { block, stop } = await opened(values);
    assert.deepEqual({ preSign: block.info.preSign, preSignUi: block.info.preSignUi }, { preSign, preSignUi });
    assert.equal(block.info.namespacePattern, '^https?://[a-z0-9_-]+\\.blob\\.core\\.windows\\.net');
    assert.equal(block.info.namespaceExample, 'https://mystorageaccount.blob.core.windows.net/mycontainer/');
    await stop();
  }
});

test('namespaces of the domain fit the pattern, others do not', async () => {
  const { block, stop } = await opened({});
  const pattern = new RegExp(block.info.namespacePattern);
  for (const fits of ['https://test.blob.core.windows.net/c/r', 'http://test.blob.core.windows.net/c']) assert.match(fits, pattern);
  for (const not of [
    'https://test.adls.core.windows.net/c',
    'https://test.blobXcore.windows.net/c',
    's3://b',
    'https://t.blob.core.chinacloudapi.cn/c',
  ])
    assert.doesNotMatch(not, pattern);
  await stop();
});

test('china_cloud forces the domain of the China cloud and is reported as deprecated', async () => {
  const { block, logged, stop } = await opened({ 'blockstore.azure.china_cloud': true });
  assert.match('https://test.blob.core.chinacloudapi.cn/c', new RegExp(block.info.namespacePattern));
  assert.deepEqual(logged, ['blockstore.azure.china_cloud is deprecated: set blockstore.azure.domain instead']);
  await stop();
});

test('a pre-signed expiry of zero is the default', async () => {
  const { expiry } = await open({ preSignedExpiry: 0 }).preSign(at('x'), 'read');
  assert.ok(expiry && Math.abs(expiry.getTime() - Date.now() - 15 * 60_000) < 60_000);
});

test('signs no URLs if pre-signed URLs are disabled, and still copies', async () => {
  const store = open({ disablePreSigned: true });
  await store.put(at('source'), Buffer.from('x'));
  await rejectsWith(() => store.preSign(at('source'), 'read'), 'unsupported', /disable_pre_signed/);
  await store.copy(at('source'), at('target'));
  assert.equal(await store.exists(at('target')), true);
});

test('wrong values say what is wrong, and never a secret', async () => {
  const refuses = (values: Record<string, unknown>, message: RegExp) =>
    assert.throws(() => Config.create([section], entries(values)), message);
  refuses(
    { 'blockstore.azure.domain': 'blob.example.com' },
    /blob\.example\.com: invalid Azure Domain; choose one of blob\.core\.windows\.net, /,
  );
  refuses({ 'blockstore.azure.storage_access_key': 'c2VjcmV0' }, /storage_access_key: is set without blockstore\.azure\.storage_account/);
  refuses({ 'blockstore.azure.pre_signed_expiry': 'soon' }, /pre_signed_expiry/);
  refuses({ 'blockstore.azure.disable_pre_signed': 'perhaps' }, /disable_pre_signed/);
  await rejectsWith(
    () => openAzureBlockStore({ storageAccount: 'a', storageAccessKey: 'not base64!' }),
    'config',
    /^(?!.*not base64!).*storage_access_key/,
  );
  await rejectsWith(() => openAzureBlockStore({ testEndpointUrl: 'nowhere' }), 'config', /test_endpoint_url: nowhere is not a URL/);
});

test('storage classes are access tiers; unknown ones are ignored with a warning', async () => {
  const warned: unknown[] = [];
  const log = { ...(await import('@srv/kernel')).silentLogger, warn: (fields: unknown) => void warned.push(fields) };
  const store = open({ log });
  for (const [storageClass, tier] of [
    ['COOL', 'Cool'],
    ['hot', 'Hot'],
    ['STANDARD_IA', 'Hot'],
    ['', 'Hot'],
  ] as const) {
    await store.put(at('tiered'), Buffer.from('x'), { storageClass });
    assert.equal((await store.properties(at('tiered'))).storageClass, tier);
  }
  assert.equal(warned.length, 1);
  const { uploadId } = await store.createMultipart(at('tiered'), { storageClass: 'cool' });
  const part = await store.uploadPart(at('tiered'), uploadId, 1, Buffer.from('x'));
  await store.completeMultipart(at('tiered'), uploadId, [{ partNumber: 1, ...part }]);
  assert.equal((await store.properties(at('tiered'))).storageClass, 'Cool');
});

test('a wrong key is forbidden, and the message says what to check without the key', async () => {
  const storageAccessKey = Buffer.from('another key').toString('base64');
  const store = open({ storageAccessKey });
  const pattern = new RegExp(
    `^(?!.*${storageAccessKey}).*access denied; check blockstore.azure.storage_account and blockstore.azure.storage_access_key`,
    's',
  );
  await rejectsWith(() => store.put(at('x'), Buffer.from('x')), 'forbidden', pattern);
  await rejectsWith(() => store.exists(at('x')), 'forbidden', pattern);
});

test('distinguishes a missing container from a missing object', async () => {
  const pointer = { namespace: 'https://devstoreaccount1.azurite.test/nowhere', identifier: 'x', identifierType: identifierType.relative };
  for (const call of [() => open().put(pointer, Buffer.from('x')), () => open().exists(pointer), () => open().get(pointer)])
    await rejectsWith(call, 'unavailable', /nowhere\/x: the container does not exist; create it/);
});
