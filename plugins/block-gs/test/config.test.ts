import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Storage } from '@google-cloud/storage';
import { Config, silentLogger } from '@srv/kernel';
import { createTestKernel, rejectsWith } from '@srv/kernel/testing';
import { ScriptedHttp } from '@srv/test-servers';
import section from '../src/config.js';
import { Api } from '../src/server/client.js';
import { toSrvError } from '../src/server/errors.js';
import plugin from '../src/server/index.js';
import { openGsBlockStore } from '../src/server/open.js';
import { at, quickRetry, useGs } from './served.js';
import type { BlockStore } from '@srv/lib-stores/block';

const { server, open } = useGs();
const entries = (values: Record<string, unknown>) => Object.entries(values).map(([key, raw]) => ({ key, raw, source: 'test' }));

async function opened(values: Record<string, unknown>): Promise<{ block: BlockStore; stop: () => Promise<void> }> {
  const kernel = await createTestKernel({ plugins: [{ plugin, section }], config: { 'blockstore.type': 'gs', ...values } });
  return { block: kernel.services.get('block'), stop: () => kernel.stop() };
}

test('the configured store serves, with credentials from the configuration', async () => {
  const { block, stop } = await opened({
    'blockstore.gs.credentials_json': server().credentialsJson,
    'blockstore.gs.test_endpoint_url': server().url,
    'blockstore.gs.pre_signed_expiry': '5m',
  });
  await block.put(at('configured'), Buffer.from('x'));
  assert.equal((await block.properties(at('configured'))).size, 1);
  const { expiry } = await block.preSign(at('configured'), 'read');
  assert.ok(expiry && Math.abs(expiry.getTime() - Date.now() - 5 * 60_000) < 60_000);
  await stop();
  await rejectsWith(() => block.exists(at('configured')), 'closed');
});

test('a credentials file counts before credentials in the configuration', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'srv-gs-config-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'key.json');
  const account = { ...(JSON.parse(server().credentialsJson) as object), client_email: 'from-file@test.iam.gserviceaccount.com' };
  await writeFile(file, JSON.stringify(account));
  const store = await open({ credentialsFile: file });
  const { url } = await store.preSign(at('x'), 'read');
  assert.match(new URL(url).searchParams.get('X-Goog-Credential') ?? '', /^from-file@test/);
});

test('sends no request at start, so an unreachable endpoint does not prevent it', async () => {
  const { block, stop } = await opened({ 'blockstore.gs.test_endpoint_url': 'http://127.0.0.1:1' });
  assert.equal(block.type, 'gs');
  await stop();
});

test('facts follow the configuration', async () => {
  const key = '00'.repeat(32);
  for (const [values, facts] of [
    [{}, [true, false, true]],
    [{ 'blockstore.gs.disable_pre_signed_ui': false }, [true, true, true]],
    [{ 'blockstore.gs.disable_pre_signed': true, 'blockstore.gs.disable_pre_signed_ui': false }, [false, false, false]],
    [{ 'blockstore.gs.server_side_encryption_customer_supplied': key }, [true, false, false]],
    [{ 'blockstore.gs.server_side_encryption_kms_key_id': 'projects/p/k' }, [true, false, false]],
  ] as const) {
    const { block, stop } = await opened(values);
    const { preSign, preSignUi, preSignMultipart, namespacePattern, importPattern, namespaceExample } = block.info;
    assert.deepEqual([preSign, preSignUi, preSignMultipart], facts);
    assert.deepEqual([namespacePattern, importPattern, namespaceExample], ['^gs://', '^gs://', 'gs://example-bucket/']);
    await stop();
  }
});

test('signs no URLs if pre-signed URLs are disabled', async () => {
  const store = await open({ disablePreSigned: true });
  await rejectsWith(() => store.preSign(at('x'), 'read'), 'unsupported', /disable_pre_signed/);
  await rejectsWith(() => store.preSignPart(at('x'), '0'.repeat(32), 1), 'unsupported', /disable_pre_signed/);
});

test('a pre-signed expiry of zero is the default', async () => {
  const { expiry } = await (await open({ preSignedExpiry: 0 })).preSign(at('x'), 'read');
  assert.ok(expiry && Math.abs(expiry.getTime() - Date.now() - 15 * 60_000) < 60_000);
});

test('wrong values say what is wrong, and never a secret', async t => {
  const refuses = (values: Record<string, unknown>, message: RegExp) =>
    assert.throws(() => Config.create([section], entries(values)), message);
  const both = {
    'blockstore.gs.server_side_encryption_customer_supplied': 'ab'.repeat(32),
    'blockstore.gs.server_side_encryption_kms_key_id': 'projects/p/k',
  };
  refuses(both, /^(?!.*abab).*customer_supplied: is set together with blockstore\.gs\.server_side_encryption_kms_key_id/s);
  refuses({ 'blockstore.gs.pre_signed_expiry': '169h' }, /at most seven days/);
  refuses({ 'blockstore.gs.disable_pre_signed_ui': 'perhaps' }, /disable_pre_signed_ui/);
  await rejectsWith(() => openGsBlockStore({ customerSuppliedKey: 'ab'.repeat(32), kmsKeyId: 'k' }), 'config', /choose one/);
  for (const customerSuppliedKey of ['abcd', 'ab'.repeat(33), 'xy'.repeat(32)])
    await rejectsWith(
      () => openGsBlockStore({ customerSuppliedKey }),
      'config',
      new RegExp(`^(?!.*${customerSuppliedKey}).*value of customer-supplied server side encryption is not a valid 32 bytes AES key`),
    );
  await rejectsWith(() => openGsBlockStore({ testEndpointUrl: 'nowhere' }), 'config', /test_endpoint_url: nowhere is not a URL/);
  for (const [credentialsJson, message] of [
    ['secret text', /^(?!.*secret).*credentials_json: is not JSON/],
    [
      '{"type":"authorized_user","client_secret":"secret"}',
      /^(?!.*"secret").*type of the credentials is "authorized_user"; only service_account is supported/,
    ],
    ['{"type":"service_account","private_key":"secret"}', /^(?!.*secret).*client_email or private_key is missing/],
    ['null', /type of the credentials is undefined/],
  ] as const)
    await rejectsWith(() => openGsBlockStore({ credentialsJson }), 'config', message);
  const folder = await mkdtemp(join(tmpdir(), 'srv-gs-config-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'key.json');
  await rejectsWith(() => openGsBlockStore({ credentialsFile: file }), 'config', /credentials_file: \S+key\.json: cannot be read \(ENOENT/);
  await writeFile(file, 'no key');
  await rejectsWith(() => openGsBlockStore({ credentialsFile: file }), 'config', /credentials_file: \S+key\.json: is not JSON/);
});

test('storage classes are those of the service; unknown ones are ignored with a warning', async () => {
  const warned: unknown[] = [];
  const store = await open({ log: { ...silentLogger, warn: fields => void warned.push(fields) } });
  const large = Buffer.alloc((8 << 20) + 1);
  for (const [storageClass, found] of [
    ['nearline', 'NEARLINE'],
    ['ARCHIVE', 'ARCHIVE'],
    ['STANDARD_IA', 'STANDARD'],
    ['', 'STANDARD'],
  ] as const) {
    for (const body of [Buffer.from('x'), large]) {
      await store.put(at('classed'), body, { storageClass });
      assert.equal((await store.properties(at('classed'))).storageClass, found);
    }
  }
  assert.equal(warned.length, 2);
  const { uploadId } = await store.createMultipart(at('classed'), { storageClass: 'coldline' });
  const part = await store.uploadPart(at('classed'), uploadId, 1, Buffer.from('x'));
  await store.completeMultipart(at('classed'), uploadId, [{ partNumber: 1, ...part }]);
  assert.equal((await store.properties(at('classed'))).storageClass, 'COLDLINE');
});

test('distinguishes a missing bucket from a missing object', async () => {
  const store = await open();
  const pointer = { ...at('x'), namespace: 'gs://nowhere' };
  for (const call of [() => store.put(pointer, Buffer.from('x')), () => store.exists(pointer), () => store.get(pointer)])
    await rejectsWith(call, 'unavailable', /gs:\/\/nowhere\/x: the bucket does not exist; create it/);
});

test('requests to the service bear a token of the account', async t => {
  const seen: (string | undefined)[] = [];
  const http = await ScriptedHttp.open((request, response) => {
    seen.push(request.headers.authorization);
    response.setHeader('content-type', 'application/json');
    response.end('{"name":"x"}');
  });
  t.after(() => http.close());
  const storage = new Storage({ credentials: JSON.parse(server().credentialsJson) as object, apiEndpoint: http.url });
  const client = (await storage.authClient.getClient()) as unknown as { setCredentials(token: object): void };
  client.setCredentials({ access_token: 'a-token', expiry_date: Date.now() + 3_600_000 });
  const api = new Api(storage, {});
  t.after(() => api.close());
  await api.json({ path: '/storage/v1/b/objects/o/x' });
  assert.deepEqual(seen, ['Bearer a-token']);
});

test('without any credentials the message says what to configure', async t => {
  const before = { ...process.env };
  t.after(() => {
    process.env = before;
  });
  const folder = await mkdtemp(join(tmpdir(), 'srv-gs-home-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  Object.assign(process.env, { HOME: folder, METADATA_SERVER_DETECTION: 'none', GOOGLE_APPLICATION_CREDENTIALS: '' });
  const store = await openGsBlockStore({ retry: quickRetry });
  await rejectsWith(
    () => store.exists(at('x')),
    'forbidden',
    /no credentials.*check blockstore\.gs\.credentials_file or blockstore\.gs\.credentials_json/,
  );
  await rejectsWith(() => store.preSign(at('x'), 'read'), 'forbidden', /URLs cannot be signed/);
});

test('an error never holds what was sent', async () => {
  const store = await open({ testEndpointUrl: 'http://127.0.0.1:1', customerSuppliedKey: 'ab'.repeat(32) });
  const key = Buffer.from('ab'.repeat(32), 'hex').toString('base64');
  const error: unknown = await store.put(at('x'), Buffer.from('x')).catch((e: unknown) => e);
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    assert.ok(!JSON.stringify({ ...cause, message: cause.message, stack: cause.stack }).includes(key));
  }
  assert.equal(toSrvError(error, 'a', 'b'), error, 'errors of the product stay as they are');
});
