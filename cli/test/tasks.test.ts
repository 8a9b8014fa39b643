import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SrvError } from '@srv/kernel';
import { scratchFolder } from '@srv/kernel/testing';
import { TaskFailure, TaskStalled, awaitTask, pollOptions } from '@srv/lib-commands';
import { fakeContext, page, refusal, runCommand } from './fake-context.js';

const { signal } = new AbortController();
const manifest = { commits_meta_range_id: 'c', tags_meta_range_id: 't', branches_meta_range_id: 'b' };

test('a task is looked at until it is done, failed or stuck', async () => {
  const states = ['1', '2', '3'];
  const look = async () => ({ updatedAt: states.shift() ?? '', done: states.length === 0 });
  assert.equal((await awaitTask(look, { interval: 1, timeout: -1, signal })).updatedAt, '3');
  await assert.rejects(
    awaitTask(async () => ({ done: true, updatedAt: '', error: 'no' }), { interval: 1, timeout: -1, signal }),
    TaskFailure,
  );
  await assert.rejects(
    awaitTask(async () => ({ done: false, updatedAt: 'same' }), { interval: 1, timeout: 20, signal }),
    TaskStalled,
  );
  const answers = [refusal(503, 'busy'), new SrvError('unavailable', 'cannot reach'), refusal(500, 'oops')];
  const flaky = async () => {
    const failure = answers.pop();
    if (failure) throw failure;
    return { done: true, updatedAt: '' };
  };
  assert.ok((await awaitTask(flaky, { interval: 1, timeout: -1, signal })).done, 'a poll with a transient failure is repeated');
  await assert.rejects(
    awaitTask(() => Promise.reject(refusal(503, 'busy')), { interval: 1, timeout: 20, signal }),
    TaskStalled,
  );
  await assert.rejects(
    awaitTask(() => Promise.reject(refusal(404, 'no task')), { interval: 1, timeout: -1, signal }),
    { message: 'no task' },
  );
  assert.throws(() => pollOptions({ 'poll-interval': 999, timeout: 0 }, signal), {
    message: '--poll-interval: 999 ms is too short; poll intervals are at least 1s',
  });
});

test('refs-dump prints the manifest, or writes it', async () => {
  const answers = { dumpSubmit: { id: 'x' }, dumpStatus: { id: 'x', done: true, update_time: '', refs: manifest } };
  const fake = fakeContext(answers);
  const { text } = await runCommand(fake, 'refs-dump', ['srv://repo']);
  assert.deepEqual(JSON.parse(text), manifest);
  assert.deepEqual(fake.calls, [
    ['dumpSubmit', { repository: 'repo' }],
    ['dumpStatus', { repository: 'repo', task_id: 'x' }],
  ]);
  const file = join(scratchFolder(), 'refs.json');
  const written = fakeContext(answers);
  assert.equal((await runCommand(written, 'refs-dump', ['srv://repo'], { output: file })).text, '');
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), manifest);
  assert.deepEqual(written.told, [`Writing refs to ${file}`]);
  const failing = fakeContext({ ...answers, dumpStatus: { id: 'x', done: true, update_time: '', error: 'disk full' } });
  await assert.rejects(runCommand(failing, 'refs-dump', ['srv://repo']), { message: 'Refs dump failed: disk full' });
});

const file = join(scratchFolder(), 'manifest.json');
writeFileSync(file, JSON.stringify(manifest));
const bare = {
  listBranches: page([]),
  listTags: page([]),
  getRepository: { storage_namespace: 'local://repo', default_branch: 'main' },
  deleteRepository: undefined,
  createRepository: {},
};

test('refs-restore recreates the repository after a transient failure', async () => {
  let restores = 0;
  const fake = fakeContext({
    ...bare,
    restoreSubmit: () => (++restores === 1 ? Promise.reject(refusal(503, 'busy')) : { id: `r${restores}` }),
    restoreStatus: () => ({ done: true, update_time: '', ...(restores === 2 ? { error: 'owner gone. Please retry.' } : {}) }),
    deleteRepository: () => (restores === 1 ? undefined : Promise.reject(refusal(404, 'the first answer was lost'))),
  });
  const { text } = await runCommand(fake, 'refs-restore', ['srv://repo'], { manifest: file });
  assert.equal(text, '\nRefs restored successfully.');
  const anew = ['getRepository', 'deleteRepository', 'createRepository'];
  assert.deepEqual(
    fake.calls.map(([operation]) => operation).filter(operation => !operation.startsWith('list')),
    ['restoreSubmit', ...anew, 'restoreSubmit', 'restoreStatus', ...anew, 'restoreSubmit', 'restoreStatus'],
  );
  const lists = fake.calls.filter(([operation]) => operation === 'listBranches');
  assert.deepEqual(lists, Array(3).fill(['listBranches', { repository: 'repo', amount: 1, show_hidden: true }]), 'before every deletion');
  assert.deepEqual(fake.calls.find(([operation]) => operation === 'createRepository')?.[1], {
    bare: true,
    body: { name: 'repo', storage_namespace: 'local://repo', default_branch: 'main' },
  });
  assert.deepEqual(fake.told, [
    'Warning: restore failed (busy); repo is recreated and restored again',
    'Warning: restore failed (Refs restore failed: owner gone. Please retry.); repo is recreated and restored again',
  ]);
});

test('refs-restore never deletes after a refusal, nor a repository with refs', async () => {
  const submitted = { ...bare, restoreSubmit: { id: 'r' } };
  const broken = 'commit c has no generation';
  let looks = 0;
  for (const [answers, message] of [
    [{ ...bare, restoreSubmit: () => Promise.reject(refusal(404, 'not found')) }, /^not found$/],
    [{ ...submitted, restoreStatus: { done: true, update_time: '', error: broken } }, new RegExp(`^Refs restore failed: ${broken}$`)],
    [{ ...bare, listBranches: page([{ id: 'main', commit_id: 'c' }]) }, /^repo is not bare: it has main; /],
    [
      {
        ...bare,
        restoreSubmit: () => Promise.reject(refusal(500, 'oops')),
        listBranches: () => page(++looks === 1 ? [] : [{ id: 'main', commit_id: 'c' }]),
      },
      /^restore failed \(oops\), and repo has main now; when nothing in it is worth keeping, delete it, /,
    ],
  ] as const) {
    const fake = fakeContext(answers);
    await assert.rejects(runCommand(fake, 'refs-restore', ['srv://repo'], { manifest: file }), { message });
    assert.ok(!fake.calls.some(([operation]) => operation === 'deleteRepository'));
  }
});

test('refs-restore gives up after three attempts, and says how to continue when the repository is gone', async () => {
  const busy = () => Promise.reject(refusal(503, 'busy'));
  const failing = fakeContext({ ...bare, restoreSubmit: busy });
  await assert.rejects(runCommand(failing, 'refs-restore', ['srv://repo'], { manifest: file }), { message: 'busy' });
  assert.equal(failing.calls.filter(([operation]) => operation === 'restoreSubmit').length, 3);
  const gone = fakeContext({ ...bare, restoreSubmit: busy, createRepository: () => Promise.reject(refusal(500, 'oops')) });
  await assert.rejects(runCommand(gone, 'refs-restore', ['srv://repo'], { manifest: file }), {
    message:
      'repo was deleted and could not be created again (oops): run "cli repo create-bare srv://repo local://repo --default-branch main", then restore again',
  });
});

test('names an invalid manifest', async () => {
  const bad = join(scratchFolder(), 'bad.json');
  for (const [content, message] of [
    ['{', /bad\.json is not a refs manifest: /],
    ['{"commits_meta_range_id":"c"}', /tags_meta_range_id is missing; use the output of refs-dump$/],
    ['null', /commits_meta_range_id is missing/],
  ] as const) {
    writeFileSync(bad, content);
    await assert.rejects(runCommand(fakeContext({}), 'refs-restore', ['srv://repo'], { manifest: bad }), { message });
  }
});
