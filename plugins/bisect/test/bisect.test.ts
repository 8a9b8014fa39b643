import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { needsProgram, scratchFolder } from '@srv/kernel/testing';
import { fakeContext, page, runCommand as runOf } from '@srv/lib-commands/testing';
import { commands } from '../src/cli/commands.js';
import { commitFacts, judge } from '../src/cli/judge.js';
import { narrow, pivot } from '../src/cli/state.js';
import type { FakeContext } from '@srv/lib-commands/testing';

/** Runs a command of `bisect`. */
const runCommand = (context: FakeContext, name: string, args: readonly string[] = []) => runOf(commands, context, name, args);

const commit = (n: number) => ({
  id: `c${n}`,
  message: `number ${n}`,
  parents: [`c${n - 1}`],
  committer: 'ann',
  creation_date: 0,
  meta_range_id: `m${n}`,
  metadata: {},
});
const history = (newest: number) => Array.from({ length: newest + 1 }, (_, i) => commit(newest - i));

test('whichever commit is to blame, it is found, and only tested commits are judged', () => {
  for (let suspects = 1; suspects <= 40; suspects++) {
    for (let culprit = 1; culprit <= suspects; culprit++) {
      let state = { commits: history(suspects).slice(0, -1) };
      let steps = 0;
      while (state.commits.length > 1) {
        const tested = Number(state.commits[pivot(state)]?.id.slice(1));
        state = narrow(state, tested >= culprit ? 'bad' : 'good');
        assert.ok(++steps <= 6, 'logarithmic');
      }
      assert.equal(state.commits[0]?.id, `c${culprit}`, `${culprit} of ${suspects}`);
    }
  }
});

test('start, show, judge, run, forget', { skip: needsProgram('sh') }, async () => {
  const home = scratchFolder();
  const fake = fakeContext(
    {
      getCommit: ({ commitId }: { commitId: string }) => commit(commitId === 'main' ? 8 : 0),
      logCommits: page(history(8)),
    },
    { home, env: { PATH: process.env.PATH } },
  );
  await assert.rejects(runCommand(fake, 'bisect log'), { message: 'You need to start by "bisect start"' });
  const { text } = await runCommand(fake, 'bisect start', ['srv://repo/main', 'srv://repo/v1']);
  assert.match(
    text,
    /^Repository: srv:\/\/repo\nBisecting: 4 commits left to test after this \(roughly 3 steps\)\nCommit: srv:\/\/repo\/c4\n/,
  );
  assert.ok(statSync(join(home, '.cli.bisect.json')).isFile());
  assert.match((await runCommand(fake, 'bisect old')).text, /Commit: srv:\/\/repo\/c6\n/);
  assert.match((await runCommand(fake, 'bisect new')).text, /Commit: srv:\/\/repo\/c5\n/);
  assert.match((await runCommand(fake, 'bisect view')).text, /ID: +c6\n.*Meta Range ID: m6\n.*ID: +c5\n/s);
  const script = 'test "$BISECT_ID" != c5 && test "$0" = c5';
  assert.match(
    (await runCommand(fake, 'bisect run', ['sh', '-c', script, ':BISECT_ID:'])).text,
    /Found commit: srv:\/\/repo\/c5\nMessage: number 5/,
  );
  assert.deepEqual(fake.told, ['== Commit c5 number 5', '-- BAD']);
  await runCommand(fake, 'bisect reset');
  await runCommand(fake, 'bisect reset');
  assert.equal(fake.told.at(-1), 'Warning: No active bisect session');
});

test('a good commit outside of the history is an error; so is a program that cannot run', async () => {
  const fake = fakeContext({ getCommit: commit(9), logCommits: page(history(3)) }, { home: scratchFolder() });
  await assert.rejects(runCommand(fake, 'bisect start', ['srv://repo/main', 'srv://repo/v1']), { message: /^good commit not found: / });
  await assert.rejects(runCommand(fake, 'bisect start', ['srv://repo/main', 'srv://other/v1']), { message: /same repository/ });
  const { signal } = new AbortController();
  await assert.rejects(judge(commit(1), ['/no/such'], { env: {}, signal }), { message: /^failed to run \/no\/such: / });
  assert.equal(commitFacts(commit(1)).BISECT_COMMITTER, 'ann');
});
