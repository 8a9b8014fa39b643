/** A tag that is moved is never lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeContext, refusal, runCommand } from './fake-context.js';
import type { FakeContext } from './fake-context.js';

const moved = { id: 'v1', commit_id: 'new' };
const answers = { getCommit: { id: 'new' }, getTag: { id: 'v1', commit_id: 'old' }, deleteTag: undefined, createTag: moved };

const move = (fake: FakeContext) => runCommand(fake, 'tag create', ['srv://repo/v1', 'srv://repo/main'], { force: true });
const operations = ({ calls }: FakeContext): string[] => calls.map(([operation]) => operation);
const created = ({ calls }: FakeContext): unknown[] => calls.flatMap(([operation, input]) => (operation === 'createTag' ? [input] : []));
const tagAt = (ref: string) => ({ repository: 'repo', body: { id: 'v1', ref } });

test('the new target must exist before the old tag goes', async () => {
  const fake = fakeContext(answers);
  assert.deepEqual((await move(fake)).data, moved);
  assert.deepEqual(operations(fake), ['getCommit', 'getTag', 'deleteTag', 'createTag']);
  const nowhere = fakeContext({ ...answers, getCommit: () => Promise.reject(refusal(404, 'no such commit')) });
  await assert.rejects(move(nowhere), { message: 'no such commit' });
  assert.deepEqual(operations(nowhere), ['getCommit']);
});

test('a tag that is new, or there already, costs no deletion', async () => {
  const fresh = fakeContext({ ...answers, getTag: () => Promise.reject(refusal(404, 'no such tag')) });
  await move(fresh);
  assert.deepEqual(operations(fresh), ['getCommit', 'getTag', 'createTag']);
  const there = fakeContext({ ...answers, getTag: moved });
  assert.deepEqual((await move(there)).data, moved);
  assert.deepEqual(operations(there), ['getCommit', 'getTag']);
});

test('a tag that cannot be deleted is not touched', async () => {
  const fake = fakeContext({ ...answers, deleteTag: () => Promise.reject(refusal(403, 'not allowed')) });
  await assert.rejects(move(fake), { message: 'not allowed' });
  assert.deepEqual(created(fake), []);
});

test('the old tag is put back when the new one cannot be made', async () => {
  for (const [second, message] of [
    [moved, 'a hook refused it'],
    [refusal(409, 'tag already exists'), 'a hook refused it'],
    [refusal(500, 'oops'), 'tag v1 could not be moved (a hook refused it) nor put back (oops); it was at commit old'],
  ] as const) {
    const outcomes = [refusal(412, 'a hook refused it'), second];
    const fake = fakeContext({
      ...answers,
      createTag: () => {
        const outcome = outcomes.shift();
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
    });
    await assert.rejects(move(fake), { message });
    assert.deepEqual(created(fake), [tagAt('main'), tagAt('old')]);
  }
});
