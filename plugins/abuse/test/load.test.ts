/** Each load generator against a real server. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClient } from '@srv/engine/client';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { startSrv } from '@srv/test-servers';
import { commands } from '../src/cli/commands.js';

test('every load generator runs without errors', async t => {
  const srv = await startSrv();
  t.after(() => srv.stop());
  const client = createClient({ endpointUrl: srv.url, ...srv.key });
  t.after(() => client.close());
  await client.createRepository({ body: { name: 'loaded', storage_namespace: 'local://loaded' } });
  const folder = mkdtempSync(join(tmpdir(), 'srv-abuse-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const keys = join(folder, 'keys');
  writeFileSync(keys, 'abuse/file-0\nabuse/file-1\n');
  const runs: readonly (readonly [command: string, options: Readonly<Record<string, string | number | boolean>>])[] = [
    ['random-write', { amount: 5 }],
    ['random-read', { amount: 5, 'from-file': keys }],
    ['list', { amount: 5 }],
    ['link-same-object', { amount: 5, parallelism: 1 }],
    ['random-delete', { amount: 3, 'from-file': keys }],
    ['commit', { amount: 2, gap: 1 }],
    ['create-branches', { amount: 3 }],
    ['create-branches', { 'clean-only': true }],
    ['merge', { amount: 2, parallelism: 1 }],
  ];
  for (const [command, options] of runs) {
    const fake = fakeContext({}, { client: async () => client });
    const { text } = await runCommand(commands, fake, `abuse ${command}`, ['srv://loaded/main'], options);
    const told = fake.told.join('\n');
    assert.match(told, /completed: \d+, errors: 0, current rate: /, command);
    assert.match(text, /\d total with 0 failures in [\d.]+s\n.*\nHistogram \(ms\):\n1\t/s, `${command}: ${text}`);
  }
  assert.deepEqual(
    (await client.listBranches({ repository: 'loaded' })).results.map(({ id }) => id),
    ['main'],
  );
});
