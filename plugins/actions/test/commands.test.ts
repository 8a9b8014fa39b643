/** Commands against recorded answers, and against a whole server. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text as textOfStream } from 'node:stream/consumers';
import { test } from 'node:test';
import { reasonOf } from '@srv/lib-commands';
import { fakeContext, page, runCommand } from '@srv/lib-commands/testing';
import { catHookOutput } from '../src/cli/cat-hook-output.js';
import { runsDescribe } from '../src/cli/describe.js';
import { runsList } from '../src/cli/list.js';
import { runFile } from '../src/cli/run.js';
import { validateFiles } from '../src/cli/validate.js';
import { actionFile, openServer } from './probe.js';
import type { HookType } from '@srv/lib-api/hook-types';

const probe: HookType = { properties: { validate: value => ({ value }) }, run: () => Promise.resolve() };
const validate = validateFiles(type => (type === 'probe' ? probe : undefined));
const commands = [runsList, runsDescribe, validate, runFile, catHookOutput];
const run = {
  run_id: 'r1',
  event_type: 'pre-commit',
  branch: 'main',
  start_time: '2026-01-01T00:00:00Z',
  end_time: '2026-01-01T00:00:01Z',
  commit_id: 'c1',
  status: 'completed',
};
const hook = { hook_run_id: '0000_0000', action: 'act', hook_id: 'hook', start_time: 's', end_time: 'e', status: 'completed' };
const output = () => ({ body: Readable.from([Buffer.from('printed')]) });

test('runs list shows runs, of a branch or a commit', async () => {
  const fake = fakeContext({ listRepositoryRuns: page([run]) });
  const { text } = await runCommand(commands, fake, 'actions runs list', ['srv://repo'], { branch: 'main' });
  assert.equal(text, 'r1\tpre-commit\t2026-01-01T00:00:00Z\t2026-01-01T00:00:01Z\tmain\tc1\tcompleted');
  assert.deepEqual(fake.calls, [['listRepositoryRuns', { repository: 'repo', amount: 100, branch: 'main' }]]);
  await assert.rejects(runCommand(commands, fake, 'actions runs list', ['srv://repo'], { branch: 'b', commit: 'c' }), {
    message: "Can't specify 'commit' and 'branch'",
  });
});

test('runs describe shows the run, then its hooks with their outputs', async () => {
  const fake = fakeContext({ getRun: run, listRunHooks: page([hook]), getRunHookOutput: output });
  const { data } = await runCommand(commands, fake, 'actions runs describe', ['srv://repo', 'r1']);
  const items: unknown[] = [];
  for await (const item of data as AsyncIterable<Parameters<NonNullable<typeof runsDescribe.render>>[0]>)
    items.push(runsDescribe.render?.(item, fake.context, { args: [], options: {} }));
  assert.deepEqual(items, [
    'r1\tpre-commit\tmain\t2026-01-01T00:00:00Z\t2026-01-01T00:00:01Z\tc1\tcompleted',
    '\n0000_0000\thook\ts\te\tact\tcompleted\nprinted',
  ]);
});

test('cat-hook-output copies the output', async () => {
  const fake = fakeContext({ getRunHookOutput: output });
  const { data } = await runCommand(commands, fake, 'cat-hook-output', ['srv://repo', 'r1', '0000_0000']);
  assert.equal(await textOfStream(data as Readable), 'printed\n');
});

test('validate needs no server, and shows every problem', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'actions-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = async (name: string, content: string): Promise<string> => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const good = await file('good', actionFile('good one', ['pre-commit'], { hook: {} }));
  const bad = await file('bad', 'name: "?"\non:\n  pre-lunch:\n');
  const { text } = await runCommand(commands, fakeContext({}), 'actions validate', [good]);
  assert.equal(text, `File validated successfully: '${good}'`);
  await assert.rejects(runCommand(commands, fakeContext({}), 'actions validate', [bad]), (error: Error) => {
    const lines = error.message.split('\n').filter(line => !line.startsWith('  '));
    assert.deepEqual(lines, [
      `${bad}:1: 'name' is invalid: invalid action`,
      `${bad}:3: event 'pre-lunch' is not supported: invalid action`,
    ]);
    return true;
  });
  await assert.rejects(runCommand(commands, fakeContext({}), 'actions validate', [join(folder, 'none')]), /ENOENT/);
  await assert.rejects(runCommand(commands, fakeContext({}), 'actions validate', [folder]), (error: unknown) => {
    assert.equal(reasonOf(error), `read ${folder}: is a directory`);
    return true;
  });
});

test('run tries a file out on a server, and fails with its hooks', async t => {
  const srv = await openServer(t);
  const folder = await mkdtemp(join(tmpdir(), 'actions-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'a.yaml');
  await writeFile(path, actionFile('tried out', ['pre-merge'], { one: { say: 'hello' }, two: { fail: 'no' } }));
  const fake = fakeContext({}, { client: () => Promise.resolve(srv.client) as never });
  const { data } = await runCommand(commands, fake, 'actions run', [path, 'srv://repo/main'], { event: 'pre-merge' });
  const shown: string[] = [];
  await assert.rejects(async () => {
    for await (const { hook_id, status, output: printed } of data as AsyncIterable<Record<string, string>>)
      shown.push(`${hook_id} ${status} ${printed}`);
  }, /^Error: run [0-9a-v]{20} failed/);
  assert.deepEqual(shown, ['one completed hello', 'two failed Error: action failed: no\n']);
  assert.equal(srv.probe.calls[0]?.payload.merge_source, 'main');
  assert.equal((await srv.engine.log('repo', 'main')).results.length, 1, 'nothing was merged');
});
