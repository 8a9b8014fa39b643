/** Rules as they are stored, set, enforced and shown. */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { encodeBatch } from '@srv/engine/operations/batch';
import { isSrvError } from '@srv/kernel';
import { MemoryKvStore, collect } from '@srv/kernel/testing';
import { ApiError, createClient } from '@srv/lib-api/client';
import { ProtoWriter, partitionOf } from '@srv/lib-records';
import { startSrv } from '@srv/test-servers';
import { readRules, writeRules } from '../src/cli/rules.js';
import operations from '../src/operations.js';
import { decodeProtection, encodeProtection } from '../src/server/protection-record.js';
import { createProtection } from '../src/server/rules.js';
import type { TestContext } from 'node:test';
import type { Repository } from '@srv/engine/contract';
import type { ErrorCode } from '@srv/kernel';

const fails = (code: ErrorCode, message: RegExp) => (error: unknown) => isSrvError(error, code) && message.test(error.message);
const settingsKey = Buffer.from('settings/protected_branches');
const refused = (status: number) => (error: unknown) => error instanceof ApiError && error.status === status;

async function open(t: TestContext) {
  const { kernel, url, key, stop } = await startSrv({ plugins: ['branch-protection'] });
  t.after(stop);
  const { services, hooks } = kernel;
  const [engine, protection, kv] = [services.get('engine'), services.get('branchProtection'), services.get('kv')];
  const lakes = await engine.createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  const put = (branch: string) => engine.putObject('lakes', branch, 'a', Buffer.from('a'), {});
  const commit = (branch: string) => engine.commit('lakes', branch, { committer: 'ann', message: 'm' });
  return { engine, protection, kv, hooks, url, key, put, commit, partition: partitionOf(lakes) };
}

test('the record is the bytes it always was', () => {
  const rules = { 'ma*': ['staging_write', 'commit'], x: ['commit'] } as const;
  const hex = '0a0b0a036d612a12040a0200010a080a017812030a0101';
  assert.equal(encodeProtection(rules).toString('hex'), hex);
  assert.deepEqual(decodeProtection(Buffer.from(hex, 'hex')), rules);
  assert.equal(encodeProtection({}).length, 0);
});

test('a record of a newer release protects its branches: further fields are skipped, an unknown action blocks the known ones', async t => {
  const { kv, partition, protection, put, commit } = await open(t);
  const rules = encodeProtection({ main: ['commit'] });
  for (const further of [new ProtoWriter().string(100, '2026-11-30'), new ProtoWriter().bool(100, true)]) {
    await kv.set(partition, settingsKey, Buffer.concat([rules, further.finish()]));
    assert.deepEqual((await protection.get('lakes')).rules, { main: ['commit'] });
    await put('main');
    await assert.rejects(commit('main'), fails('protected', /^cannot commit/));
  }
  for (const actions of [[7], [1, 7], [0x80, 0x01]]) {
    const blocked = new ProtoWriter().bytes(1, Buffer.from(actions)).finish();
    const rule = new ProtoWriter().string(1, 'main').bytes(2, blocked).string(3, 'a note').finish();
    await kv.set(partition, settingsKey, new ProtoWriter().bytes(1, rule).finish());
    assert.deepEqual((await protection.get('lakes')).rules, { main: ['staging_write', 'commit'] });
    await assert.rejects(put('main'), fails('protected', /^cannot write/));
    await assert.rejects(commit('main'), fails('protected', /^cannot commit/));
  }
});

describe('rules', () => {
  it('keep branches from being changed, other than by a merge', async t => {
    const { engine, protection, put, commit } = await open(t);
    await engine.createBranch('lakes', 'dev', 'main');
    await put('main');
    await protection.set('lakes', { 'ma*': ['staging_write', 'commit'] });
    await assert.rejects(put('main'), fails('protected', /^cannot write to protected branch/));
    await assert.rejects(commit('main'), fails('protected', /^cannot commit to protected branch/));
    await protection.set('lakes', { main: ['commit'] });
    await put('main');
    await assert.rejects(commit('main'), fails('protected', /^cannot commit/));
    await protection.set('lakes', {});
    await commit('main');
    await protection.set('lakes', { main: ['staging_write', 'commit'] });
    await engine.putObject('lakes', 'dev', 'b', Buffer.from('b'), {});
    await commit('dev');
    await engine.merge('lakes', 'dev', 'main', { committer: 'ann' });
  });

  it('block direct writes, and neither reverts, cherry-picks, imports nor the deletion of a branch', async t => {
    const { engine, protection, put, commit } = await open(t);
    await engine.createBranch('lakes', 'dev', 'main');
    await put('dev');
    const { metarangeId } = await commit('dev');
    await engine.createBranch('lakes', 'stable', 'dev');
    await protection.set('lakes', { stable: ['staging_write', 'commit'] });
    const by = { committer: 'ann' };
    const blocked: readonly (() => Promise<unknown>)[] = [
      () => put('stable'),
      () => engine.deleteObject('lakes', 'stable', 'a'),
      () => engine.setObjectMetadata('lakes', 'stable', 'a', { k: 'v' }),
      () => engine.copyPrefix('lakes', 'stable', { from: 'a', to: 'b', exact: true, move: true }),
      () => engine.resetBranch('lakes', 'stable', { type: 'all' }),
      () => commit('stable'),
      () => engine.hardResetBranch('lakes', 'stable', 'main'),
    ];
    for (const change of blocked) await assert.rejects(change(), fails('protected', /protected branch/), change.toString());
    await engine.revert('lakes', 'stable', { ref: 'stable', parentNumber: 0, ...by });
    await engine.cherryPick('lakes', 'stable', { ref: 'dev', ...by });
    await engine.import('lakes', 'stable', { metarangeId, prefixes: ['x/'], keys: [], message: 'm', ...by });
    await engine.deleteBranch('lakes', 'stable');
    await engine.createBranch('lakes', 'stable', 'main');
  });

  it('have patterns in the syntax of existing installations, which cost little on every name', async t => {
    const { engine, protection, put } = await open(t);
    const hostile = 'a'.repeat(196);
    for (const branch of ['dev', 'stable_1', hostile]) await engine.createBranch('lakes', branch, 'main');
    await protection.set('lakes', { '{ma*,[r-t]table_?}': ['staging_write'], '*a*a*a*a*a*ab': ['staging_write'] });
    await assert.rejects(put('main'), fails('protected', /^cannot write/));
    await assert.rejects(put('stable_1'), fails('protected', /^cannot write/));
    await put('dev');
    await put(hostile);
  });

  it('refuse the objects of a batch one by one', async t => {
    const { protection, url, key } = await open(t);
    await protection.set('lakes', { main: ['staging_write'] });
    const response = await fetch(`${url}/api/v1/repositories/lakes/branches/main/objects/batch`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key.accessKeyId}:${key.secretAccessKey}`)}`, 'content-type': 'application/octet-stream' },
      body: encodeBatch([{ path: 'a', bytes: Buffer.from('x') }]),
    });
    const { results } = (await response.json()) as { readonly results: readonly { readonly path: string; readonly status_code: number }[] };
    assert.deepEqual(
      results.map(({ path, status_code }) => [path, status_code]),
      [['a', 403]],
    );
  });

  it('are set only if unchanged since they were read, and reject invalid patterns', async t => {
    const { engine, protection } = await open(t);
    assert.deepEqual(await protection.get('lakes'), { rules: {}, etag: '' });
    await assert.rejects(protection.set('lakes', { '[': ['commit'] }), fails('invalid', /pattern "\[".*\[ is not closed by \]; use/));
    await protection.set('lakes', { 'v?': ['commit'] }, '');
    await assert.rejects(protection.set('lakes', {}, ''), fails('precondition_failed', /changed meanwhile/));
    const { etag, rules } = await protection.get('lakes');
    assert.deepEqual(rules, { 'v?': ['commit'] });
    await protection.set('lakes', {}, etag);
    await engine.createRepository({ id: 'frozen', storageNamespace: 'local://frozen', readOnly: true });
    await assert.rejects(protection.set('frozen', {}), fails('read_only', /^read-only repository/));
  });

  it('are a record that an operator can read, at the key of the format', async t => {
    const { protection, kv, hooks, partition } = await open(t);
    await protection.set('lakes', { main: ['commit'] });
    const record = (await collect(kv.scan(partition))).find(({ key }) => key.equals(settingsKey));
    assert.ok(record);
    assert.deepEqual(hooks.describeRecord.call(partition, record), { main: ['commit'] });
  });
});

describe('operations', () => {
  it('have a tag for each state', async t => {
    const { url, key } = await open(t);
    const client = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
    t.after(() => client.close());
    const place = { repository: 'lakes' };
    const before = await client.call('getBranchProtectionRules', place);
    assert.deepEqual([before.data, before.headers['etag']], [[], '']);
    // Two commands that have both read that there are not any.
    const seen = await readRules(client, 'lakes');
    await writeRules(client, 'lakes', { ...seen, patterns: ['main'] });
    await assert.rejects(writeRules(client, 'lakes', { ...seen, patterns: ['release*'] }), refused(412));
    assert.deepEqual((await readRules(client, 'lakes')).patterns, ['main']);
    await client.setBranchProtectionRules({ ...place, body: [] });
    await assert.rejects(client.setBranchProtectionRules({ ...place, body: [{ pattern: 'text' }], 'If-Match': 'zzz' }), refused(412));
    await client.setBranchProtectionRules({ ...place, body: [{ pattern: 'text' }] });
    await client.internalCreateBranchProtectionRule({ ...place, body: { pattern: 'v*' } });
    const { data, headers } = await client.call('getBranchProtectionRules', place);
    assert.deepEqual(data, [{ pattern: 'text' }, { pattern: 'v*' }]);
    assert.match(String(headers['etag']), /^[0-9a-f]{64}$/);
    await client.internalDeleteBranchProtectionRule({ ...place, body: { pattern: 'text' } });
    await assert.rejects(client.internalDeleteBranchProtectionRule({ ...place, body: { pattern: 'text' } }), refused(404));
    await client.setBranchProtectionRules({ ...place, body: [] });
    assert.equal((await client.call('getBranchProtectionRules', place)).headers['etag'], '');
  });
});

test('beyond maxCompiled: rules hold in every repository', async () => {
  const kv = new MemoryKvStore();
  const repository = (id: string) => ({ id, instanceUid: id, storageNamespace: `mem://${id}`, readOnly: false }) as Repository;
  const { service, guard } = createProtection({
    kv,
    engine: { getRepository: async name => repository(typeof name === 'string' ? name : name.id) },
  });
  const isBlocked = async (id: string, branch: string): Promise<boolean> => {
    let blocked = false;
    const block = (): void => {
      blocked = true;
    };
    await guard({ repository: repository(id), branch, actions: ['commit'], block });
    return blocked;
  };
  for (let i = 0; i <= 10_000; i++) {
    await service.set(`r${i}`, { [`b${i}`]: ['commit'] });
    await isBlocked(`r${i}`, 'any');
  }
  for (const i of [0, 1, 5000, 10_000])
    assert.deepEqual(await Promise.all([`b${i}`, `b${i + 1}`].map(branch => isBlocked(`r${i}`, branch))), [true, false]);
});
