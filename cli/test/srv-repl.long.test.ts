/** `srv repl`: commands work on the kernel they are typed in. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { installation } from './installation.js';
import { run } from './programs.js';
import type { TestContext } from 'node:test';
import type { Ended } from './programs.js';

function prepare(t: TestContext, rbac?: string) {
  const home = installation(rbac);
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const srv = (args: readonly string[], input = ''): Promise<Ended> =>
    // A server configured for cli must not be asked.
    run('srv', [...args, '-c', join(home, 'srv.yaml')], home, { input, env: { CLI_SERVER_ENDPOINT_URL: 'http://127.0.0.1:1' } });
  return { srv, repl: (...lines: readonly string[]) => srv(['repl', ...lines.flatMap(line => ['-e', line])]) };
}

for (const rbac of ['none', 'simplified']) {
  test(`commands and scripts reach the booted kernel, as an administrator (${rbac})`, async t => {
    const { srv, repl } = prepare(t, rbac);
    const { stdout: credentials } = await srv(['setup', '--user-name', 'zoe']);
    const secret = /secret_access_key: (\S+)/.exec(credentials)?.[1] ?? assert.fail(credentials);
    const { code, stdout, stderr } = await repl(
      // Sorts before the administrator, and has no rights.
      "await services.get('auth').createUser({ username: 'aaa' })",
      'repo create srv://lakes local://lakes',
      'use srv://lakes/main',
      `await (await client()).uploadObject({ repository: 'lakes', branch: 'main', path: 'a/x', body: Buffer.from('hello') }); undefined`,
      'ls a/',
      'cat a/x',
      'commit -m first',
      'identity',
      // Its own name, not the command of `cli`.
      'config',
      'new URL((await client()).endpoint).hostname',
    );
    assert.equal(code, 0, stderr);
    assert.equal(stderr, '');
    assert.match(stdout, /^ {2}'auth\.ui_config\.rbac': /m);
    assert.match(stdout, /^object .* 5 B +x\nhello/m);
    assert.match(stdout, rbac === 'none' ? /^User ID: +\w+$/m : /^User ID: +zoe$/m);
    assert.match(stdout, /\n127\.0\.0\.1\n$/);
    assert.ok(!stdout.includes(secret));
    const again = await repl('log srv://lakes/main -o name');
    assert.equal(again.stdout.trim().split('\n').length, 2, `${again.stdout}${again.stderr}`);
  });
}

test('the listener opens with the first command and is gone at the end', async t => {
  const { srv, repl } = prepare(t);
  await srv(['setup', '--user-name', 'zoe']);
  const unopened = await repl(
    "try { services.get('http').address() } catch (error) { error.message }",
    'repo list',
    "services.get('http').address().url",
  );
  assert.equal(unopened.code, 0, unopened.stderr);
  const [refusal, url = ''] = unopened.stdout.trim().split('\n');
  assert.match(refusal ?? '', /^the listener is not open yet/);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  await assert.rejects(fetch(`${url}/_health`));
});

test('reports an installation that is not set up, with the remedy; once it is, commands work', async t => {
  const { repl } = prepare(t);
  const { code, stdout, stderr } = await repl('repo list');
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, /^the installation is not set up yet; run srv setup --user-name <name> with the same configuration\n/);
  const later = await repl("void await services.get('auth').setup({ username: 'ann' })", 'repo create srv://first local://first -o name');
  assert.equal(later.code, 0, later.stderr);
  assert.equal(later.stdout, 'first\n');
});

test('lines run in order; by default the first failure stops', async t => {
  const { srv, repl } = prepare(t);
  await srv(['setup', '--user-name', 'zoe']);
  const stopped = await repl('const n = 41', 'ls srv://nowhere/main/', 'n + 1');
  assert.deepEqual([stopped.code, stopped.stdout], [3, '']);
  assert.match(stopped.stderr, /404 Not Found\n--eval:2:1: failed with exit code 3\n$/);
  const going = await srv(['repl', '--keep-going', '-e', 'const n = 41', '-e', 'ls srv://nowhere/main/', '-e', 'n + 1']);
  assert.deepEqual([going.code, going.stdout], [3, '42\n']);
});
