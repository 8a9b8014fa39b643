import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start } from 'node:repl';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { keepHistory } from '../src/shell/history.js';

test('the history file has no lines that speak of secrets, and is its owner’s', async t => {
  const home = await mkdtemp(join(tmpdir(), 'srv-history-'));
  t.after(() => rm(home, { recursive: true, force: true }));
  const input = new PassThrough();
  // The shell prints failures itself: node:repl does not see them.
  const server = start({ input, output: new PassThrough(), terminal: true, eval: (_line, _context, _file, done) => done(null, undefined) });
  await keepHistory(server, { env: {}, home, tell: line => assert.fail(line) });
  const exited = once(server, 'exit');
  input.write('1 + 1\r');
  for (const line of ['config --secret-access-key hunter2', 'const Password = 1', 'login --token abc']) input.write(`${line}\r`);
  input.write('2 + 2\r');
  input.end('.exit\r');
  await exited;
  const file = join(home, '.cli_history');
  // Lines are written a moment after they were typed.
  while (!(await readFile(file, 'utf8')).includes('.exit')) await new Promise(resolve => setTimeout(resolve, 20));
  assert.deepEqual((await readFile(file, 'utf8')).trim().split('\n'), ['.exit', '2 + 2', '1 + 1']);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});
