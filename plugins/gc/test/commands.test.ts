import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import type { Command } from '@srv/kernel';
import { gcDeleteConfig } from '../src/cli/delete-config.js';
import { gcGetConfig } from '../src/cli/get-config.js';
import { gcSetConfig } from '../src/cli/set-config.js';

const commands = [gcGetConfig, gcSetConfig, gcDeleteConfig] as readonly Command[];
const rules = {
  default_retention_days: 14,
  branches: [{ branch_id: 'main', retention_days: 21 }],
  branch_patterns: [{ pattern: 'release-*', retention_days: 90 }],
  tags: { keep: 'days', retention_days: 30 },
  keep_last_commits: 5,
};

test('get-config prints a table, or the rules as JSON', async () => {
  const fake = fakeContext({ getGCRules: rules });
  const { text } = await runCommand(commands, fake, 'gc get-config', ['srv://repo']);
  assert.match(text, /^Default retention days: 14\nTags: 30 days\nNewest commits kept per branch: 5\n/);
  assert.match(text, /main\s+.*21/);
  assert.match(text, /release-\* \(pattern\)\s+.*90/);
  const json = await runCommand(commands, fake, 'gc get-config', ['srv://repo'], { json: true });
  assert.deepEqual(JSON.parse(json.text), rules);
});

test('set-config sends the file, warns of a default of no days, and names a file that is not JSON', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'gc-rules-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'rules.json');
  await writeFile(file, JSON.stringify({ ...rules, default_retention_days: 0 }));
  const fake = fakeContext({ setGCRules: undefined });
  await runCommand(commands, fake, 'gc set-config', ['srv://repo'], { filename: file });
  assert.deepEqual(fake.calls, [['setGCRules', { repository: 'repo', body: { ...rules, default_retention_days: 0 } }]]);
  assert.match(fake.told[0] ?? '', /default_retention_days is 0/);
  await writeFile(file, '{');
  await assert.rejects(runCommand(commands, fake, 'gc set-config', ['srv://repo'], { filename: file }), /rules\.json is not JSON/);
});

test('delete-config deletes', async () => {
  const fake = fakeContext({ deleteGCRules: undefined });
  await runCommand(commands, fake, 'gc delete-config', ['srv://repo']);
  assert.deepEqual(fake.calls, [['deleteGCRules', { repository: 'repo' }]]);
});
