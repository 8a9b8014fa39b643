import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeContext, refusal, runCommand as runOf } from '@srv/lib-commands/testing';
import { importCommand } from '../src/cli/import.js';
import type { CommandInput } from '@srv/lib-commands';
import type { FakeContext } from '@srv/lib-commands/testing';

const runCommand = (fake: FakeContext, name: string, args: readonly string[], options: CommandInput['options']) =>
  runOf([importCommand], fake, name, args, options);

const config = { storage_config: { blockstore_type: 's3', import_validity_regex: '^s3://' } };
const commit = { id: 'c1', message: 'm', creation_date: 0, parents: ['c0'], committer: 'a', meta_range_id: 'mr', metadata: {} };
const importing = {
  getConfig: config,
  getBranch: {},
  importStart: { id: 'i' },
  importStatus: { completed: true, update_time: '', ingested_objects: 3, metarange_id: 'mr', commit },
};

test('import starts, waits and reports the commit', async () => {
  const fake = fakeContext(importing);
  const { text } = await runCommand(fake, 'import', [], { from: 's3://b/x/', to: 'srv://repo/main/x/', message: 'm' });
  assert.deepEqual(fake.calls[2], [
    'importStart',
    {
      repository: 'repo',
      branch: 'main',
      body: { commit: { message: 'm', metadata: {} }, paths: [{ type: 'common_prefix', path: 's3://b/x/', destination: 'x/' }] },
    },
  ]);
  assert.match(
    text,
    /^Import of 3 object\(s\) into "main" completed\.\nMetaRange ID: mr\nCommit ID: c1\nMessage: .*\nTimestamp: .*\nParents: .*$/,
  );
});

test('import says what is wrong', async () => {
  const options = { from: 's3://b/x/', to: 'srv://repo/main/x/' };
  const failing = { ...importing, importStatus: { completed: false, update_time: '', error: { message: 'no access' } } };
  await assert.rejects(runCommand(fakeContext(failing), 'import', [], options), { message: 'Import failed: no access' });
  await assert.rejects(runCommand(fakeContext(importing), 'import', [], { ...options, from: 'gs://b/' }), {
    message: "import source 'gs://b/' doesn't match current configured storage 's3'",
  });
  const gone = { ...importing, getBranch: () => Promise.reject(refusal(404, 'not found')) };
  await assert.rejects(runCommand(fakeContext(gone), 'import', [], options), {
    message: /^target branch srv:\/\/repo\/main does not exist/,
  });
});

test('an interrupt cancels the import on the server', async () => {
  const controller = new AbortController();
  const fake = fakeContext(
    {
      ...importing,
      importCancel: undefined,
      importStatus: () => {
        controller.abort();
        return { completed: false, update_time: 'x' };
      },
    },
    { signal: controller.signal },
  );
  await assert.rejects(runCommand(fake, 'import', [], { from: 's3://b/x/', to: 'srv://repo/main/x/' }));
  assert.deepEqual(fake.calls.at(-1), ['importCancel', { repository: 'repo', branch: 'main', id: 'i' }]);
});
