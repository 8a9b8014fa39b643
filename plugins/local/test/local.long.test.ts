/** The commands of `local` as their users run them, against a running server; and killed by SIGKILL in the middle. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { programFile, run, startServer } from '@srv/test-servers/programs';
import { startKillingProxy } from './killing-proxy.js';
import { edit, onDisk } from './model-server.js';
import type { Ended, RunOptions, RunningServer } from '@srv/test-servers/programs';
import type { Aim, KillingProxy } from './killing-proxy.js';

let server: RunningServer;
let proxy: KillingProxy;
let work: string;

before(async () => {
  server = await startServer();
  proxy = await startKillingProxy(server.url);
  work = scratchFolder();
  edit(join(work, 'start'), { 'a.txt': 'first', 'sub/b.txt': 'second' });
  await ok('repo', 'create', 'srv://lakes', 'local://lakes');
  await ok('fs', 'upload', '-r', 'srv://lakes/main/data/', '-s', 'start');
  await ok('commit', 'srv://lakes/main', '-m', 'start');
});
after(async () => {
  await proxy.close();
  await server.remove();
});

const configFile = (): string => join(server.home, 'srv', 'cli.yaml');

function cli(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return run('cli', args, server.home, { cwd: work, ...options, env: { CLI_CONFIG_FILE: configFile(), ...options.env } });
}

async function ok(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(args);
  assert.equal(code, 0, `cli ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

/** A branch with two files under `data/`. @returns the folder it is to be cloned to. */
async function branch(name: string): Promise<string> {
  await ok('branch', 'create', `srv://lakes/${name}`, '-s', 'srv://lakes/main');
  return join(work, name);
}

test('clone, change, status, commit, pull, checkout', async () => {
  const folder = await branch('story');
  const cloned = await cli(['local', 'clone', 'srv://lakes/story/data', 'story']);
  assert.equal(
    cloned.stdout,
    `Successfully cloned srv://lakes/story/data/ to ${folder}.\n\nClone Summary:\n\nDownloaded: 2\nUploaded: 0\nRemoved: 0\n`,
  );
  assert.match(cloned.stderr, /^download a\.txt\n/m);
  assert.match(
    readFileSync(join(folder, '.srv_ref.yaml'), 'utf8'),
    /^src: srv:\/\/lakes\/story\/data\/\nat_head: [0-9a-f]{64}\nactive_operation: ""\n$/,
  );
  assert.equal(await ok('local', 'status', 'story'), 'No diff found.\n');
  await ok('local', 'clone', 'srv://lakes/story/data/', 'second');

  edit(folder, { 'a.txt': 'FIRST', 'sub/b.txt': undefined, 'new/c.txt': 'third' });
  assert.equal(
    await ok('local', 'status', 'story'),
    [
      '╔════════╦══════════╦═══════════╗',
      '║ SOURCE ║ CHANGE   ║ PATH      ║',
      '╠════════╬══════════╬═══════════╣',
      '║ local  ║ modified ║ a.txt     ║',
      '║ local  ║ added    ║ new/c.txt ║',
      '║ local  ║ removed  ║ sub/b.txt ║',
      '╚════════╩══════════╩═══════════╝',
      '',
    ].join('\n'),
  );
  assert.equal(await ok('local', 'status', '-l', 'story/sub', '-o', 'name'), 'a.txt\nnew/c.txt\nsub/b.txt\n', 'from within, too');
  const dirty = await cli(['local', 'pull', 'story']);
  assert.deepEqual(
    [dirty.code, /\nthere are 3 uncommitted changes\. Either commit them first or use --force/.test(dirty.stderr)],
    [1, true],
  );
  const made = await cli(['local', 'commit', 'story', '-m', 'from here', '--meta', 'k=v']);
  assert.match(
    made.stdout,
    /^\nSync Summary:\n\nDownloaded: 0\nUploaded: 2\nRemoved: 1\n\nCommit for branch "story" completed\.\n\nID: [0-9a-f]{64}\nMessage: from here\n/,
  );
  assert.match(made.stderr, /^upload a\.txt\n/m);
  assert.match(made.stderr, /^delete remote path: sub\/b\.txt\n/m);
  assert.equal(await ok('fs', 'ls', '-r', 'srv://lakes/story/', '-o', 'name'), 'data/a.txt\ndata/new/c.txt\n');
  assert.equal(await ok('local', 'status', 'story'), 'No diff found.\n');

  assert.match(
    await ok('local', 'status', 'second'),
    /║ remote ║ modified ║ a\.txt +║\n║ remote ║ added +║ new\/c\.txt ║\n║ remote ║ removed/,
  );
  assert.match(
    await ok('local', 'pull', 'second'),
    /^Successfully synced changes!\n\nPull Summary:\n\nDownloaded: 2\nUploaded: 0\nRemoved: 1\n$/,
  );
  assert.deepEqual(onDisk(join(work, 'second')), onDisk(folder));
  assert.ok(!existsSync(join(work, 'second', 'sub')), 'folders this leaves empty go');

  edit(join(work, 'second'), { 'a.txt': 'theirs' });
  await ok('local', 'commit', 'second', '-m', 'theirs');
  edit(folder, { 'a.txt': 'mine' });
  const conflict = await cli(['local', 'commit', 'story', '-m', 'mine']);
  assert.equal(conflict.code, 1);
  assert.match(conflict.stderr, /\n\* conflict a\.txt\nConflict found: nothing was changed\. /);
  assert.match(await ok('local', 'status', 'story'), /║ local {2}║ conflict ║ a\.txt ║/);
  assert.equal(await ok('fs', 'cat', 'srv://lakes/story/data/a.txt'), 'theirs');
  const refused = await cli(['local', 'checkout', 'story']);
  assert.deepEqual([refused.code, onDisk(folder)['a.txt']], [1, 'mine']);
  assert.match(refused.stderr, /Checkout aborted: there is no terminal to ask at; use --yes to continue\n/);
  await ok('local', 'checkout', 'story', '-y');
  assert.equal(onDisk(folder)['a.txt'], 'FIRST');
  edit(folder, { 'a.txt': 'mine', own: 'own' });
  await ok('local', 'pull', '--force', 'story');
  assert.deepEqual(onDisk(folder), { 'a.txt': 'theirs', 'new/c.txt': 'third' });

  await ok('local', 'checkout', '-r', 'srv://lakes/story~2', 'story');
  assert.deepEqual(onDisk(folder), { 'a.txt': 'first', 'sub/b.txt': 'second' });
  assert.match(await ok('local', 'list'), /^second\tsrv:\/\/lakes\/story\/data\/\t[0-9a-f]{64}\nstory\tsrv:\/\/lakes\/story~2\/data\/\t/);
});

/** Runs a command that is killed at a request. */
async function killed(aim: Aim, ...args: string[]): Promise<void> {
  const config = join(server.home, 'proxied.yaml');
  writeFileSync(config, readFileSync(configFile(), 'utf8').replace(server.url, proxy.url));
  const child = spawn(process.execPath, [programFile('cli'), ...args, '-p', '1'], {
    cwd: work,
    env: { PATH: process.env.PATH, HOME: server.home, CLI_CONFIG_FILE: config },
    stdio: 'ignore',
  });
  const end = new Promise(resolve => {
    child.on('close', (_code, signal) => resolve(signal));
  });
  proxy.aim(aim, () => child.kill('SIGKILL'));
  assert.equal(await end, 'SIGKILL', `${args.join(' ')} met no request like ${String(aim.request)}`);
}

const reading = /^GET .*\/refs\/\w+\/objects$/;
const writing = /^POST .*\/branches\/\w+\/objects$/;
const committing = /^POST .*\/branches\/\w+\/commits$/;

/** What `status` says of an interrupted operation. */
async function interrupted(operation: string, folder: string): Promise<string[]> {
  const { code, stdout, stderr } = await cli(['local', 'status', folder, '-o', 'json']);
  assert.equal(code, 0);
  assert.match(
    stderr,
    new RegExp(`^Latest ${operation} operation was interrupted, local data may be incomplete\\.\nRun "cli local ${operation}`),
  );
  return (JSON.parse(stdout) as { results: { path: string; source: string; change: string }[] }).results.map(
    i => `${i.source} ${i.change} ${i.path}`,
  );
}

test('killed while cloning: the rest is known to be missing, not removed', async () => {
  const folder = await branch('cloning');
  await killed({ request: reading, number: 2, when: 'before' }, 'local', 'clone', 'srv://lakes/cloning/data/', 'cloning');
  assert.deepEqual(await interrupted('clone', 'cloning'), ['remote added sub/b.txt']);
  const early = await cli(['local', 'commit', 'cloning', '-m', 'never', '-y']);
  assert.deepEqual([early.code, early.stderr.startsWith('Latest clone operation was interrupted, ')], [1, true]);
  const half = await cli(['local', 'status', 'cloning']);
  assert.deepEqual([half.code, /║ remote ║ added +║ sub\/b\.txt ║/.test(half.stdout)], [1, true]);
  await ok('local', 'clone', 'srv://lakes/cloning/data/', 'cloning');
  assert.deepEqual(onDisk(folder), { 'a.txt': 'first', 'sub/b.txt': 'second' });
  assert.equal(await ok('local', 'status', 'cloning'), 'No diff found.\n');
});

test('killed while committing: one commit is made, with everything', async () => {
  const folder = await branch('committing');
  await ok('local', 'clone', 'srv://lakes/committing/data/', 'committing');
  edit(folder, { 'a.txt': 'mine', 'c.txt': 'added' });
  await killed({ request: writing, number: 1, when: 'after' }, 'local', 'commit', 'committing', '-m', 'made');
  assert.equal(await ok('diff', 'srv://lakes/committing'), 'Ref: srv://lakes/committing\n~ modified data/a.txt\n');
  assert.deepEqual(await interrupted('commit', 'committing'), ['local modified a.txt', 'local added c.txt']);
  await killed({ request: committing, number: 1, when: 'after' }, 'local', 'commit', 'committing', '-m', 'made', '-y');
  assert.deepEqual(await interrupted('commit', 'committing'), [], 'the branch has it all');
  assert.match(await ok('local', 'commit', 'committing', '-m', 'made', '-y'), /Summary:\n\nNo changes\n$/);
  assert.equal(await ok('local', 'status', 'committing'), 'No diff found.\n');
  const log = JSON.parse(await ok('log', 'srv://lakes/committing', '-o', 'json')) as { message: string }[];
  assert.deepEqual(
    log.map(c => c.message).filter(m => m === 'made'),
    ['made'],
  );
  assert.equal(await ok('fs', 'cat', 'srv://lakes/committing/data/c.txt'), 'added');
});

test('killed while pulling and checking out: completed, or undone', async () => {
  const folder = await branch('pulling');
  await ok('local', 'clone', 'srv://lakes/pulling/data/', 'pulling');
  edit(join(work, 'newer'), { 'a.txt': 'FIRST', 'sub/b.txt': 'SECOND' });
  await ok('fs', 'upload', '-r', 'srv://lakes/pulling/data/', '-s', 'newer');
  await ok('commit', 'srv://lakes/pulling', '-m', 'newer');
  await killed({ request: reading, number: 2, when: 'before' }, 'local', 'pull', 'pulling');
  assert.deepEqual(await interrupted('pull', 'pulling'), ['remote modified sub/b.txt']);
  await ok('local', 'checkout', 'pulling', '-y');
  assert.deepEqual(onDisk(folder), { 'a.txt': 'first', 'sub/b.txt': 'second' });
  await ok('local', 'pull', 'pulling');
  assert.deepEqual(onDisk(folder), { 'a.txt': 'FIRST', 'sub/b.txt': 'SECOND' });
  await killed({ request: reading, number: 1, when: 'before' }, 'local', 'checkout', 'pulling', '-r', 'srv://lakes/pulling~1');
  assert.equal((await interrupted('checkout', 'pulling')).length, 2);
  await ok('local', 'checkout', 'pulling');
  assert.deepEqual(onDisk(folder), { 'a.txt': 'first', 'sub/b.txt': 'second' });
  assert.match(readFileSync(join(folder, '.srv_ref.yaml'), 'utf8'), /^src: srv:\/\/lakes\/pulling~1\/data\/\n/);
});
