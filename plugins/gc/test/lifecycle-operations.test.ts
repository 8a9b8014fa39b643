/** The lifecycle by the API and the commands, on a whole server. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { scratchFolder, until } from '@srv/kernel/testing';
import { ApiError, createClient } from '@srv/lib-api/client';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { startSrv } from '@srv/test-servers';
import { lifecycleLog, lifecycleRun } from '../src/cli/lifecycle-runs.js';
import { lifecycleDelete, lifecycleSet, lifecycleShow } from '../src/cli/lifecycle-settings.js';
import operations from '../src/operations/index.js';
import { temporaryFolder } from './fixture.js';
import type { TestContext } from 'node:test';
import type {} from '@srv/engine/contract';
import type { CommandContext, CommandInput } from '@srv/lib-commands';
import type { WireLifecycleRun } from '../src/operations/lifecycle.js';

const repository = 'lakes';
const refused = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.status === status && message.test(error.message);

async function open(t: TestContext) {
  // The run of the period would delete what the tests look for.
  const config = { 'gc.cache_dir': await temporaryFolder(t), 'gc.lifecycle_period': '0s' };
  const { url, kernel, key, stop } = await startSrv({ plugins: ['gc'], config });
  t.after(stop);
  const client = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
  t.after(() => client.close());
  const engine = kernel.services.get('engine');
  await engine.createRepository({ id: repository, storageNamespace: 'local://lakes' });
  const command = (name: string, args: readonly string[], options: CommandInput['options'] = {}) =>
    runCommand(
      [lifecycleShow, lifecycleSet, lifecycleDelete, lifecycleRun, lifecycleLog] as never,
      fakeContext({}, { client: (async () => client) as unknown as CommandContext['client'], input: Readable.from(['{}']) as never }),
      name,
      args,
      options,
    );
  return { client, engine, command };
}

it('policies and rules are set, read and removed by the calls and shapes that clients know', async t => {
  const { client } = await open(t);
  const policies = [{ id: 'a', name_patterns: ['try-*'], max_age: 60, max_inactivity_time: 30, description: 'why' }];
  assert.deepEqual(await client.getBranchLifecyclePolicies({ repository }), { policies: [] });
  const set = await client.call('setBranchLifecyclePolicies', { repository, body: { policies } });
  assert.deepEqual([set.status, set.data], [200, { policies }]);
  const read = await client.call('getBranchLifecyclePolicies', { repository });
  assert.deepEqual(read.data, { policies });
  const etag = read.headers['etag'];
  assert.ok(etag);
  await assert.rejects(
    client.setBranchLifecyclePolicies({ repository, body: { policies: [] }, 'If-Match': 'other' }),
    refused(412, /changed meanwhile/),
  );
  await client.setBranchLifecyclePolicies({ repository, body: { policies: [] }, 'If-Match': String(etag) });
  await assert.rejects(
    client.setBranchLifecyclePolicies({ repository, body: { policies: [{ name_patterns: ['a'] }] } }),
    refused(400, /policies\[0\]: it has no limit/),
  );
  assert.equal((await client.call('setBranchLifecyclePoliciesPreflight', { repository })).status, 204);
  assert.equal((await client.call('deleteBranchLifecyclePolicies', { repository })).status, 204);

  const rules = [{ id: 'logs', branches: ['main'], prefix: 'logs/', expire_after_days: 3 }];
  assert.equal((await client.call('setObjectLifecycleRules', { repository, body: { rules } })).status, 204);
  const found = await client.call('getObjectLifecycleRules', { repository });
  assert.deepEqual(found.data, { rules });
  await assert.rejects(
    client.setObjectLifecycleRules({ repository, body: { rules: [] }, 'If-Match': 'other' }),
    refused(412, /changed meanwhile/),
  );
  await client.setObjectLifecycleRules({ repository, body: { rules: [] }, 'If-Match': String(found.headers['etag']) });
  assert.equal((await client.call('deleteObjectLifecycleRules', { repository })).status, 204);
  await assert.rejects(client.getLifecycleRun({ repository, run: 'nope' }), refused(404, /run "nope": not found/));
  await assert.rejects(client.startLifecycleRun({ repository: 'none', body: {} }), refused(404, /repository/));
});

it('commands set, show and remove them, and show what a run would do, does and did', async t => {
  const { engine, command } = await open(t);
  const at = ['srv://lakes'];
  const file = join(scratchFolder(), 'lifecycle.json');
  const policies = [{ id: 'tries', name_patterns: ['try-*'], max_age: 1 }];
  writeFileSync(file, JSON.stringify({ policies }));
  await command('lifecycle set', at, { filename: file });
  writeFileSync(file, '{');
  await assert.rejects(command('lifecycle set', at, { filename: file }), /is not JSON/);
  await assert.rejects(command('lifecycle set', at, { filename: '-' }), /- has neither "policies" nor "rules"/);
  assert.deepEqual(JSON.parse((await command('lifecycle show', at)).text), { policies, rules: [] });
  const branch = await engine.createBranch(repository, 'try-it', 'main');
  // Ages are whole seconds.
  await until(
    async () => ((await command('lifecycle run', at, { 'dry-run': true })).data as { branches: number }).branches === 1 || undefined,
  );
  const dry = (await command('lifecycle run', at, { 'dry-run': true })).text;
  assert.match(dry, /^[0-9a-v]{20} done \(dry run\) .* by admin: 1 branches, 0 objects, 0 skipped\n {2}try-it: would be deleted by tries$/);
  await engine.getBranch(repository, 'try-it');
  assert.match((await command('lifecycle run', at)).text, /done 2.*: 1 branches.*\n {2}try-it: deleted by tries$/);
  await assert.rejects(engine.getBranch(repository, 'try-it'), /not found/);
  const log = (await command('lifecycle log', at)).data as readonly WireLifecycleRun[];
  assert.deepEqual(log[0]?.actions, [{ kind: 'branch_deleted', branch: 'try-it', rules: ['tries'], commit_id: branch.commitId }]);
  assert.equal(log[1]?.dry_run, true);
  assert.deepEqual((await command('lifecycle log', at, { run: log[0]?.id ?? '' })).data, [log[0]]);
  await assert.rejects(command('lifecycle delete', at), /say what to remove/);
  await command('lifecycle delete', at, { branches: true, objects: true });
  assert.deepEqual(JSON.parse((await command('lifecycle show', at)).text), { policies: [], rules: [] });
});
