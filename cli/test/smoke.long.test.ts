/** The commands against a running server. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { run, startServer } from './programs.js';
import type { Ended, RunOptions, RunningServer } from './programs.js';

let server: RunningServer;
let work: string;

before(async () => {
  server = await startServer();
  work = scratchFolder();
  await ok('repo', 'create', 'srv://lakes', 'local://lakes');
});
after(() => server.remove());

function cli(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return run('cli', args, server.home, {
    cwd: work,
    ...options,
    env: { CLI_CONFIG_FILE: join(server.home, 'srv', 'cli.yaml'), ...options.env },
  });
}

/** Runs a command that must succeed. @returns its output. */
async function ok(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(args);
  assert.equal(code, 0, `cli ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

async function data(...args: string[]): Promise<unknown> {
  return JSON.parse(await ok(...args, '-o', 'json'));
}

const put = (path: string, input: string | Buffer) => cli(['fs', 'upload', `srv://lakes/${path}`, '-s', '-'], { input });

test('upload, list, read, commit, look back', async () => {
  const { code, stdout } = await put('main/a/hello.txt', 'hello');
  assert.equal(code, 0);
  assert.match(
    stdout,
    new RegExp(`Path: a/hello[.]txt\n[^]*Size: 5 bytes\n[^]*Checksum: ${createHash('md5').update('hello').digest('hex')}\n`),
  );
  assert.equal(await ok('fs', 'cat', 'srv://lakes/main/a/hello.txt'), 'hello');
  assert.match(await ok('fs', 'ls', 'srv://lakes/main/'), /^common_prefix +a\/\n$/);
  assert.match(await ok('fs', 'ls', '-r', 'srv://lakes/main/'), /^object .* 5 B +a\/hello\.txt\n$/);
  assert.equal(await ok('diff', 'srv://lakes/main'), 'Ref: srv://lakes/main\n+ added a/hello.txt\n');
  assert.match(
    await ok('commit', 'srv://lakes/main', '-m', 'first', '--meta', 'k=v'),
    /^Branch: srv:\/\/lakes\/main\nCommit for branch "main" completed\.\n\nID: [0-9a-f]{64}\nMessage: first\n/,
  );
  const [newest] = (await data('log', 'srv://lakes/main')) as { message: string; metadata: unknown }[];
  assert.deepEqual([newest?.message, newest?.metadata], ['first', { k: 'v' }]);
  assert.equal(await ok('blame', 'srv://lakes/main/', '-r'), await ok('annotate', 'srv://lakes/main/', '-r'));
  assert.match(await ok('annotate', 'srv://lakes/main/', '-r'), /^a\/hello\.txt +admin +[0-9a-f]{16} .* first\n$/);
});

test('names, tables and pages', async () => {
  await ok('branch', 'create', 'srv://lakes/two', '-s', 'srv://lakes/main');
  assert.equal(await ok('branch', 'list', 'srv://lakes', '-o', 'name'), 'main\ntwo\n');
  const first = await cli(['branch', 'list', 'srv://lakes', '--amount', '1']);
  assert.match(first.stdout, /^main\t[0-9a-f]{64}\n$/);
  assert.equal(first.stderr, 'for more results run with --amount 1 --after "main"\n');
  assert.match(await ok('branch', 'list', 'srv://lakes', '--after', 'main'), /^two\t/);
  const boxed = await cli(['repo', 'list', '--no-color'], { env: { CLI_INTERACTIVE: 'true' } });
  assert.match(boxed.stdout, /^\+-+\+.*\n\| REPOSITORY \|/);
  assert.match(await ok('repo', 'list', '-o', 'yaml'), /^- id: lakes\n/);
});

test('merge, conflict, tag, cherry-pick, revert', async () => {
  await ok('branch', 'create', 'srv://lakes/side', '-s', 'srv://lakes/main');
  for (const branch of ['main', 'side']) {
    await put(`${branch}/same.txt`, branch);
    await ok('commit', `srv://lakes/${branch}`, '-m', `same on ${branch}`);
  }
  const conflict = await cli(['merge', 'srv://lakes/side', 'srv://lakes/main']);
  assert.deepEqual([conflict.code, conflict.stderr], [5, '* conflict same.txt\nConflict found.\nError executing command.\n']);
  assert.match(
    await ok('merge', 'srv://lakes/side', 'srv://lakes/main', '--strategy', 'source-wins'),
    /Merged "side" into "main" to get "[0-9a-f]{64}"\.\n$/,
  );
  assert.equal(await ok('fs', 'cat', 'srv://lakes/main/same.txt'), 'side');
  assert.match(await ok('tag', 'create', 'srv://lakes/v1', 'srv://lakes/main'), /Created tag 'v1' \([0-9a-f]{64}\)\n$/);
  const again = await cli(['tag', 'create', 'srv://lakes/v1', 'srv://lakes/main']);
  assert.match(again.stderr, /\n409 Conflict\n$/);
  await ok('tag', 'create', '-f', 'srv://lakes/v1', 'srv://lakes/side');
  await put('side/pick.txt', 'pick');
  await ok('commit', 'srv://lakes/side', '-m', 'to pick');
  assert.match(await ok('cherry-pick', 'srv://lakes/side', 'srv://lakes/main'), /Message: to pick\n/);
  assert.match(await ok('branch', 'revert', 'srv://lakes/main', 'main', '-y'), /commit main successfully reverted\n$/);
  assert.equal((await cli(['fs', 'stat', 'srv://lakes/main/pick.txt'])).code, 3);
});

test('protection rules keep each other', async () => {
  await ok('branch-protect', 'add', 'srv://lakes', 'stable*');
  await ok('branch-protect', 'add', 'srv://lakes', 'prod');
  assert.deepEqual((await ok('branch-protect', 'list', 'srv://lakes')).trim().split('\n').sort(), ['prod', 'stable*']);
  assert.equal(
    (await cli(['branch-protect', 'delete', 'srv://lakes', 'none'])).stderr,
    'Branch protection rule not found\nError executing command.\n',
  );
  await ok('branch-protect', 'delete', 'srv://lakes', 'stable*');
  assert.equal(await ok('branch-protect', 'list', 'srv://lakes'), 'prod\n');
});

test('folders travel whole, whatever the names', async () => {
  const names = ['plain.txt', 'with space %41?#.txt', 'deep/er/ünï.bin', 'deep/big.bin'];
  const contents = new Map(
    names.map(name => [name, name.endsWith('big.bin') ? randomBytes(9_000_000) : Buffer.from(`content of ${name}`)]),
  );
  for (const [name, content] of contents) {
    const path = join(work, 'up', name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, content);
  }
  assert.match(await ok('fs', 'upload', '-r', 'srv://lakes/main/tree/', '-s', 'up'), /^Upload Summary:\n\nUploaded: 4 files\n/);
  await ok('fs', 'download', '-r', 'srv://lakes/main/tree', 'down');
  for (const [name, content] of contents) assert.deepEqual(readFileSync(join(work, 'down', name)), content, name);
  assert.ok(!readdirSync(join(work, 'down')).some(name => name.endsWith('.part')));
  const stats = (await data('fs', 'stat', 'srv://lakes/main/tree/deep/big.bin')) as { checksum: string; size_bytes: number };
  assert.deepEqual(
    stats.checksum,
    createHash('md5')
      .update(contents.get('deep/big.bin') ?? '')
      .digest('hex'),
  );
  assert.deepEqual(await data('fs', 'rm', '-r', 'srv://lakes/main/tree/'), { removed: 4, failed: 0 });
});

test('a download replaces a file only when it is complete, and stays in its folder', async () => {
  await put('main/d/f.txt', 'new');
  writeFileSync(join(work, 'f.txt'), 'old');
  const failed = await cli(['fs', 'download', 'srv://lakes/main/d/none.txt', 'f.txt']);
  assert.equal(failed.code, 3);
  assert.equal(readFileSync(join(work, 'f.txt'), 'utf8'), 'old');
  assert.match(
    await ok('fs', 'download', 'srv://lakes/main/d/f.txt', 'f.txt'),
    /^download: srv:\/\/lakes\/main\/d\/f\.txt to .*\/f\.txt\n$/,
  );
  assert.equal(readFileSync(join(work, 'f.txt'), 'utf8'), 'new');
  await ok('fs', 'download', 'srv://lakes/main/d/f.txt', 'made/');
  assert.ok(statSync(join(work, 'made', 'f.txt')).isFile());

  await put('main/evil/../../escaped.txt', 'bad');
  const evil = await cli(['fs', 'download', '-r', 'srv://lakes/main/evil/', 'safe']);
  assert.deepEqual([evil.code, existsSync(join(work, '..', 'escaped.txt')), existsSync(join(work, 'escaped.txt'))], [1, false, false]);
  assert.match(evil.stderr, /^"\.\.\/\.\.\/escaped\.txt" cannot be a file below .*\/safe; /);

  mkdirSync(join(work, 'linked'));
  mkdirSync(join(work, 'elsewhere'));
  symlinkSync(join(work, 'elsewhere'), join(work, 'linked', 'd'));
  const link = await cli(['fs', 'download', '-r', 'srv://lakes/main/', 'linked']);
  assert.equal(link.code, 1);
  assert.deepEqual(readdirSync(join(work, 'elsewhere')), []);
});

test('failures say what is wrong', async () => {
  const vectors: readonly [args: readonly string[], stderr: RegExp][] = [
    [
      ['fs', 'cat', 'srv://lakes/main'],
      /^path URI "srv:\/\/lakes\/main" missing path part: not a valid path URI\nError executing command\.\n$/,
    ],
    [
      ['branch', 'list', 'srv://lakes/main'],
      /^repository URI "srv:\/\/lakes\/main" includes a ref part \(ref=main\): not a valid repo URI\n/,
    ],
    [['commit', 'srv://lakes/main', '-m', ' '], /^Error: commit with no message without specifying the "--allow-empty-message" flag\n/],
    [['commit', 'srv://lakes/main', '-m', 'x', '--meta', 'y'], /^Error: --meta: "y" is not a pair such as key=value\n/],
    [['branch', 'show', 'srv://lakes/none'], /\n404 Not Found\n$/],
    [['branch', 'create', 'srv://lakes/x', '-s', 'srv://other/main'], /^Error: source branch must be in the same repository\n/],
    [['branch', 'delete', 'srv://lakes/two'], /^Delete branch aborted: there is no terminal to ask at; use --yes to continue\n/],
    [['fs', 'upload', 'srv://lakes/main/x', '-s', 'none'], /^open none: no such file or directory\n/],
    [['fs', 'upload', 'srv://lakes/main/x', '-s', '.'], /^read \.: is a directory; use --recursive/],
    [['fs', 'download', 'srv://lakes/main/x', '--part-size', '1'], /^part size must be at least 65536 bytes, not 1\n/],
    [['fs', 'upload', 'srv://lakes/main/x', '-s', '-', '-p', '0'], /^Error: Invalid value for parallelism \(0\), minimum is 1\.\n$/],
    [['log', 'srv://lakes/main', '--since', 'yesterday'], /^Error: --since: "yesterday" is not an RFC 3339 time/],
    [['repo', 'list', 'extra'], /^Error: accepts 0 arg\(s\), received 1\n$/],
    [['completion', 'ksh'], /^Error: invalid argument "ksh" for "cli completion"/],
  ];
  for (const [args, stderr] of vectors) {
    const found = await cli(args);
    assert.ok(found.code !== null && found.code >= 1 && found.code <= 6, `${args.join(' ')}: ${found.code}`);
    assert.match(found.stderr, stderr, args.join(' '));
  }
});

test('credentials and addresses come from anywhere', async () => {
  const bare = { CLI_CONFIG_FILE: '' };
  assert.match(
    (await cli(['repo', 'list'], { env: bare })).stderr,
    /^credentials\.access_key_id is not set: run "cli config", or set CLI_CREDENTIALS_ACCESS_KEY_ID/,
  );
  assert.equal(await ok('branch', 'show', '/main', '--base-uri', 'srv://lakes', '-o', 'name'), 'main\n');
});

test('an object cannot point at a file that the server may not read', async () => {
  const stage = ['fs', 'stage', 'srv://lakes/main/staged', '--checksum', 'x', '--size', '3', '--location'];
  const { code, stderr } = await cli([...stage, 'local:///not_allowed']);
  assert.equal(code, 4);
  assert.match(stderr, /forbidden.*403 Forbidden/s);
});

test('hooks refuse a commit, are described and tried out', async () => {
  await ok('repo', 'create', 'srv://gated', 'local://gated');
  const file = join(work, 'check.yaml');
  const url = 'http://127.0.0.1:1/';
  writeFileSync(file, `name: check\non:\n  pre-commit:\nhooks:\n  - id: ask\n    type: webhook\n    properties: { url: "${url}" }\n`);
  assert.equal(await ok('actions', 'validate', file), `File validated successfully: '${file}'\n`);
  await ok('fs', 'upload', 'srv://gated/main/_srv_actions/check.yaml', '-s', file);
  const refused = await cli(['commit', 'srv://gated/main', '-m', 'first']);
  assert.equal(refused.code, 5);
  assert.match(refused.stderr, /^pre-commit hook aborted, run id '[0-9a-v]{20}': 1 error occurred:\n\t\* hook run id '0000_0000' failed/);
  assert.match(refused.stderr, /412 Precondition Failed/);
  const [run] = (await data('actions', 'runs', 'list', 'srv://gated')) as { run_id: string; status: string }[];
  assert.equal(run?.status, 'failed');
  assert.match(await ok('actions', 'runs', 'describe', 'srv://gated', run.run_id), /\tpre-commit\tmain\t.*\tfailed\n\n0000_0000\task\t/);
  assert.match(await ok('cat-hook-output', 'srv://gated', run.run_id, '0000_0000'), /Request:\nPOST http.*ECONNREFUSED/s);
  const tried = await cli(['actions', 'run', file, '--event', 'pre-commit', 'srv://gated/main']);
  assert.equal(tried.code, 1);
  assert.match(tried.stdout, /ECONNREFUSED/);
  assert.match(tried.stderr, /run [0-9a-v]{20} failed/);
  writeFileSync(file, 'name: check\n');
  const invalid = await cli(['actions', 'validate', file]);
  assert.deepEqual([invalid.code, invalid.stderr.includes("check.yaml:1: 'on' is required: invalid action")], [1, true]);
});

test('config keeps the spelling of keys and a symbolic link, so that the next command reads the file', async () => {
  const home = scratchFolder();
  const file = join(home, 'own.yaml');
  writeFileSync(file, 'credentials.access_key_id: A\ncredentials:\n  # secret_access_key: B\n');
  symlinkSync('own.yaml', join(home, 'linked.yaml'));
  for (const key of ['AKIAJ', 'AKIAK']) {
    const { code, stderr } = await run('cli', ['config', '--config', 'linked.yaml'], home, { input: `${key}\nsecret\n${server.url}\n` });
    assert.equal(code, 0, stderr);
    assert.match(
      readFileSync(file, 'utf8'),
      new RegExp(`^credentials.access_key_id: ${key}\ncredentials:\n  # secret_access_key: B\n  secret_access_key: secret\n`),
    );
  }
});

test('config writes a private file and keeps what it does not know', async () => {
  const home = scratchFolder();
  writeFileSync(join(home, '.cli.yaml'), '# mine\noptions:\n  parallelism: 3\n');
  const { code, stderr } = await run('cli', ['config'], home, { input: `AKIAJ\nsecret\n${server.url}\n` });
  assert.deepEqual([code, stderr], [0, `Config file ${home}/.cli.yaml will be used\n`]);
  assert.equal(
    readFileSync(join(home, '.cli.yaml'), 'utf8'),
    `# mine\noptions:\n  parallelism: 3\ncredentials:\n  access_key_id: AKIAJ\n  secret_access_key: secret\nserver:\n  endpoint_url: ${server.url}\n`,
  );
  assert.equal(statSync(join(home, '.cli.yaml')).mode & 0o777, 0o600);
});

test('completion asks the server for addresses', async () => {
  assert.equal((await cli(['__complete', 'branch', 'list', 'srv://la'])).stdout, 'srv://lakes/\n');
  assert.match((await cli(['__complete', 'fs', 'ls', 'srv://lakes/ma'])).stdout, /^srv:\/\/lakes\/main\/\n$/);
  assert.match((await cli(['__complete', 'fs', 'ls', 'srv://lakes/main/a/'])).stdout, /^srv:\/\/lakes\/main\/a\/hello\.txt\n$/);
});

test('help is quick and the same everywhere', async () => {
  const { stdout } = await cli(['--help']);
  assert.equal((await cli([])).stdout, stdout);
  assert.equal((await cli(['help'])).stdout, stdout);
  assert.match((await cli(['fs'])).stdout, /^Usage: cli fs /);
  assert.match((await cli(['--version'])).stdout, /^cli version: \d+\.\d+\.\d+\nsrv version: \d+\.\d+\.\d+\n$/);
});

test('scripts: run, repl -e, standard input, transcript', async () => {
  const script = join(work, 'release.srv');
  writeFileSync(script, '#!/usr/bin/env cli-run\nuse srv://lakes/main\nls -r $1\nconsole.log(_.length)\nuse srv://lakes/nowhere\npwd\n');
  const record = join(work, 'transcript');
  const { code, stdout, stderr } = await cli(['run', script, 'a/', '--transcript', record]);
  assert.equal(code, 3);
  assert.match(stdout, /^object .* a\/hello\.txt\n1\n$/);
  assert.match(stderr, /\n404 Not Found\n.*release\.srv:5:1: failed with exit code 3\n$/);
  assert.match(readFileSync(record, 'utf8'), /^> use srv:\/\/lakes\/main\n> ls -r \$1\nobject .*\n> console\.log\(_\.length\)\n1\n> use /);
  assert.equal((await cli(['run', script, 'a/', '--keep-going'])).stdout.split('\n').at(-2), 'srv://lakes/main');
  assert.match(await ok('repl', 'srv://lakes/main', '-e', 'log'), /\nID: /);
  assert.equal((await cli(['repl', 'srv://lakes/main'], { input: 'pwd\nconsole.log(1 + 1)\n' })).stdout, 'srv://lakes/main\n2\n');
});

test('lines of the command line run in order, in one session', async () => {
  const three = await ok('repl', 'srv://lakes/main', '-e', 'ls -r a/', '-e', '[_[0].path, "x"].join()', '-e', 'pwd');
  assert.match(three, /^object .*\na\/hello\.txt,x\nsrv:\/\/lakes\/main\n$/);
  const lines = ['-e', 'use srv://lakes/$1', '-e', 'use srv://lakes/nowhere', '-e', 'pwd', 'main'];
  const stopped = await cli(['run', ...lines]);
  assert.deepEqual([stopped.code, stopped.stdout], [3, '']);
  assert.match(stopped.stderr, /\n--eval:2:1: failed with exit code 3\n$/);
  const going = await cli(['run', '--keep-going', ...lines]);
  assert.deepEqual([going.code, going.stdout], [3, 'srv://lakes/main\n']);
  const nothing = await cli(['run']);
  assert.deepEqual([nothing.code, nothing.stderr], [2, 'Error: nothing to run: give a file, - for standard input, or lines with --eval\n']);
});

test('refs travel through a dump into a bare repository', async () => {
  await ok('repo', 'create', 'srv://moved', 'local://moved');
  await cli(['fs', 'upload', 'srv://moved/main/x', '-s', '-'], { input: 'x' });
  await ok('commit', 'srv://moved/main', '-m', 'kept');
  await ok('tag', 'create', 'srv://moved/v1', 'srv://moved/main');
  const file = join(work, 'refs.json');
  const dump = await cli(['refs-dump', 'srv://moved', '--output', file, '--poll-interval', '1s']);
  assert.deepEqual([dump.code, dump.stdout, dump.stderr], [0, '', `Writing refs to ${file}\n`]);
  const full = await cli(['refs-restore', 'srv://moved', '--manifest', file]);
  assert.match(full.stderr, /moved is not bare: it has main; /);
  await ok('repo', 'delete', 'srv://moved', '-y');
  await ok('repo', 'create-bare', 'srv://moved', 'local://moved');
  assert.match(await ok('refs-restore', 'srv://moved', '--manifest', file, '--poll-interval', '1s'), /Refs restored successfully\.\n$/);
  assert.equal(await ok('fs', 'cat', 'srv://moved/v1/x'), 'x');
  assert.match(await ok('log', 'srv://moved/main'), /\n\tkept\n/);
});
