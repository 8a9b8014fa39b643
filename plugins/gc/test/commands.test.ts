import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fakeContext, page, runCommand } from '@srv/lib-commands/testing';
import { gcDeleteConfig } from '../src/cli/delete-config.js';
import { gcGetConfig } from '../src/cli/get-config.js';
import { gcExplain, gcList, gcPurge, gcRestore, gcShow, gcStatus } from '../src/cli/inspect.js';
import { lifecycleLog } from '../src/cli/lifecycle-runs.js';
import { gcRun } from '../src/cli/run.js';
import { gcSetConfig } from '../src/cli/set-config.js';
import type { Command } from '@srv/lib-commands';

const commands = [
  gcGetConfig,
  gcSetConfig,
  gcDeleteConfig,
  gcRun,
  gcStatus,
  gcList,
  gcShow,
  gcExplain,
  gcRestore,
  gcPurge,
] as readonly Command[];
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

const run = {
  id: 'r1',
  phase: 'done',
  started_at: '2026-01-01T00:00:00.000Z',
  dry_run: false,
  listed: 10,
  young: 1,
  kept: 5,
  candidates: 4,
  candidate_bytes: 40,
  swept: 4,
  deleted: 3,
  deleted_bytes: 30,
  spared: 1,
  failures: 0,
  metadata_files: 2,
  aborted_uploads: 1,
  old_reports: 0,
};

test('run starts, follows and reports the outcome', async () => {
  const fake = fakeContext({ startGarbageCollection: { id: 'r1' }, sweepGarbage: { id: 'r2' }, getGarbageCollection: run });
  const { text } = await runCommand(commands, fake, 'gc run', ['srv://repo'], { 'dry-run': true, quarantine: 3 });
  assert.deepEqual(fake.calls[0], [
    'startGarbageCollection',
    { repository: 'repo', body: { mode: 'dry_run', force: false, quarantine_days: 3 } },
  ]);
  assert.match(text, /Garbage: +4 \(40 B\)\nRemoved: +3 \(30 B\)/);
  await runCommand(commands, fake, 'gc run', ['srv://repo'], { sweep: 'r1' });
  assert.deepEqual(fake.calls[2], ['sweepGarbage', { repository: 'repo', run: 'r1', body: {} }]);
  await assert.rejects(runCommand(commands, fake, 'gc run', ['srv://repo'], { 'dry-run': true, 'mark-only': true }), /cannot be combined/);
  const failing = fakeContext({ startGarbageCollection: { id: 'r1' }, getGarbageCollection: { ...run, phase: 'failed', error: 'why' } });
  await assert.rejects(runCommand(commands, failing, 'gc run', ['srv://repo']), /run r1 failed: why/);
});

test('status, show and explain say what there is', async () => {
  const fake = fakeContext({
    listGarbageCollections: { results: [run] },
    getGarbageCollection: run,
    listGarbage: { results: ['data/a/b'], pagination: { has_more: false, next_offset: '' } },
    statObject: { physical_address: 's3://b/data/p/i' },
    explainGarbage: { address: 'data/p/i', exists: true, size_bytes: 1, kept_by: [] },
  });
  assert.match((await runCommand(commands, fake, 'gc status', ['srv://repo'])).text, /^Run: +r1/);
  assert.equal((await runCommand(commands, fake, 'gc show', ['srv://repo', 'r1'], { addresses: true })).text, 'data/a/b');
  assert.match((await runCommand(commands, fake, 'gc explain', ['srv://repo/main/x'])).text, /nothing: the next run collects it/);
  const none = fakeContext({ listGarbageCollections: { results: [] } });
  await assert.rejects(
    runCommand(commands, none, 'gc status', ['srv://repo']),
    /garbage collection has never run in repo; start it with gc run/,
  );
});

test('run shows how far it is, and an interrupt cancels it', async () => {
  const stop = new AbortController();
  const shown: string[] = [];
  const bar = {
    expect: (files: number) => shown.push(`expect ${files}`),
    advance: (by: number) => shown.push(`advance ${by}`),
    fileDone: () => {},
    aside: () => {},
    stop: () => shown.push('stop'),
  };
  let looks = 0;
  const fake = fakeContext(
    {
      startGarbageCollection: { id: 'r1' },
      getGarbageCollection: () => {
        if (++looks === 2) stop.abort();
        return { ...run, phase: 'sweeping', candidates: 10, swept: looks === 1 ? 4 : 7 };
      },
      cancelGarbageCollection: undefined,
    },
    { signal: stop.signal, progress: () => bar },
  );
  await assert.rejects(runCommand(commands, fake, 'gc run', ['srv://repo']), { name: 'AbortError' });
  assert.deepEqual(shown, ['expect 10', 'advance 4', 'advance 3', 'stop']);
  assert.deepEqual(fake.calls.at(-1), ['cancelGarbageCollection', { repository: 'repo', run: 'r1' }]);
  assert.deepEqual(fake.told, ['Run r1 was cancelled']);
});

test('list, restore and purge', async () => {
  const fake = fakeContext({
    listGarbageCollections: page([run]),
    restoreGarbage: { objects: 3 },
    purgeNamespace: { objects: 7 },
  });
  assert.match((await runCommand(commands, fake, 'gc list', ['srv://repo'])).text, /r1\s.*done/);
  assert.equal((await runCommand(commands, fake, 'gc restore', ['srv://repo'], { prefix: 'data/a' })).text, 'Restored objects: 3');
  assert.deepEqual(fake.calls.at(-1), ['restoreGarbage', { repository: 'repo', run: 'r1', body: { prefix: 'data/a' } }]);
  assert.equal((await runCommand(commands, fake, 'gc purge', ['s3://b/gone'])).text, 'Removed objects: 7');
  assert.deepEqual(fake.calls.at(-1), ['purgeNamespace', { body: { storage_namespace: 's3://b/gone' } }]);
});

test('an empty value does not restore, sweep or show more', async () => {
  const all = [...commands, lifecycleLog] as readonly Command[];
  for (const [name, option] of [
    ['gc restore', 'prefix'],
    ['gc run', 'sweep'],
    ['lifecycle log', 'run'],
  ] as const) {
    const fake = fakeContext({});
    await assert.rejects(
      runCommand(all, fake, name, ['srv://repo'], { [option]: '' }),
      new RegExp(`--${option}: an empty value is not allowed`),
    );
    assert.deepEqual(fake.calls, [], name);
  }
});
