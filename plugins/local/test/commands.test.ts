/** Commands of `local` with a server in memory: links, git, special files, what others do at the same time. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { needsProgram, scratchFolder } from '@srv/kernel/testing';
import { runCommand } from '@srv/lib-commands/testing';
import { commands } from '../src/cli/commands.js';
import { localStatus } from '../src/cli/status.js';
import { ModelServer, edit, localContext, onDisk } from './model-server.js';
import type { CommandContext, CommandInput } from '@srv/lib-commands';
import type { LocalContextOptions } from './model-server.js';

const start = { 'data/a.txt': 'first', 'data/sub/b.txt': 'second' };

class Session {
  readonly server: ModelServer;
  readonly root = scratchFolder();
  readonly told: string[] = [];
  readonly #options: LocalContextOptions;

  constructor(server = new ModelServer(start), options: LocalContextOptions = {}) {
    this.server = server;
    this.#options = options;
  }

  /** @param folder below the root of this session. @returns data and text. */
  async run(command: string, folder: string, options: CommandInput['options'] = {}, changes: Partial<CommandContext> = {}, uri?: string) {
    const { context, told } = await localContext(this.server, { ...this.#options, changes: { ...this.#options.changes, ...changes } });
    try {
      return await runCommand(
        commands,
        { context, calls: [], told },
        `local ${command}`,
        [...(uri === undefined ? [] : [uri]), join(this.root, folder)],
        options,
      );
    } finally {
      this.told.splice(0, this.told.length, ...told);
    }
  }

  clone(folder = 'd', uri = 'srv://lakes/main/data/') {
    return this.run('clone', folder, {}, {}, uri);
  }

  file(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }
}

test('directories are linked, listed and kept out of git', { skip: needsProgram('git') }, async () => {
  const session = new Session();
  const { root } = session;
  const init = (folder: string, options = {}, uri = 'srv://lakes/main/data/') => session.run('init', folder, options, {}, uri);
  execFileSync('git', ['init', '-q', root]);
  await assert.rejects(init('.'), { message: /is a git repository, please specify a sub-directory$/ });
  assert.equal((await init('x')).text, `Successfully linked local directory '${root}/x' with remote 'srv://lakes/main/data/'`);
  assert.equal(session.file('.gitignore'), '# ignored by cli local\nx/*\n!x/.srv_ref.yaml\n# End ignored by cli local\n');
  assert.match(session.told.join('\n'), /Location added to .*\.gitignore$/);
  await assert.rejects(init('x'), { message: /^directory '.*x' already linked to a srv path, run command with --force to overwrite$/ });
  await init('x', { force: true, gitignore: false }, 'srv://lakes/main/data');
  assert.equal(
    session.file('x/.srv_ref.yaml'),
    'src: srv://lakes/main/data/\nat_head: c1\nactive_operation: ""\n',
    'a folder, with or without slash',
  );
  await assert.rejects(init('y', {}, 'srv://lakes/main/data/a.txt'), {
    message: /is an existing object and cannot be used as a reference source$/,
  });
  await assert.rejects(init('y', {}, 'srv://lakes/none/'), { message: 'none not found' });
  await assert.rejects(session.clone('.'), { message: /^directory '.*' exists and is not empty$/ });
  await session.clone('y/deep', 'srv://lakes/main/');
  mkdirSync(join(root, '.hidden'));
  writeFileSync(join(root, '.hidden', '.srv_ref.yaml'), session.file('x/.srv_ref.yaml'));
  mkdirSync(join(root, 'broken'));
  writeFileSync(join(root, 'broken', '.srv_ref.yaml'), 'x');
  const lines = 'x\tsrv://lakes/main/data/\tc1\ny/deep\tsrv://lakes/main/\tc1';
  assert.equal((await session.run('list', '.')).text, lines);
  assert.match(session.told.join('\n'), /^Warning: .*broken\/\.srv_ref\.yaml is damaged: /);
  assert.equal((await session.run('list', '.hidden')).text, '.\tsrv://lakes/main/data/\tc1', 'where the search begins counts');

  edit(root, { 'x/a.txt': 'with git' });
  execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-q', '--allow-empty', '-m', 'x']);
  execFileSync('git', ['-C', root, 'remote', 'add', 'origin', 'git@github.com:me/proj.git']);
  edit(root, { 'x/sub/b.txt': 'second' });
  await session.run('commit', 'x', { message: 'm', meta: ['k=v'] });
  const { metadata } = [...session.server.commits.values()].at(-1) ?? {};
  assert.match(metadata?.git_commit_id ?? '', /^[0-9a-f]{7,}$/);
  assert.deepEqual(metadata, {
    git_commit_id: metadata?.git_commit_id,
    '::lakefs::github.com::url[url:ui]': `https://github.com/me/proj/commit/${metadata?.git_commit_id}`,
    k: 'v',
  });
});

test('folders of any name are kept out of git, but nothing else is', { skip: needsProgram('git') }, async () => {
  const session = new Session();
  const { root } = session;
  execFileSync('git', ['init', '-q', root]);
  const names = ['plain', 'data[1]', '#tmp', '!new', 'a*b', 'a?b', 'a\\b', 'tail ', 'two\nlines', 'deep/[x]'];
  for (const name of names) await session.clone(name);
  edit(root, { 'data1/a': '', 'new/a': '', tmp: '', axb: '' });
  const untracked = execFileSync('git', ['-C', root, 'ls-files', '-z', '--others', '--exclude-standard'], { encoding: 'utf8' });
  const expected = ['.gitignore', 'axb', 'data1/a', 'new/a', 'tmp', ...names.map(name => `${name}/.srv_ref.yaml`)];
  assert.deepEqual(new Set(untracked.split('\0').slice(0, -1)), new Set(expected));
});

test('a .gitignore that is a symbolic link stays, since git does not follow it', { skip: needsProgram('git') }, async () => {
  const session = new Session();
  const { root } = session;
  execFileSync('git', ['init', '-q', root]);
  const file = join(root, '.gitignore');
  for (const target of ['shared', 'missing']) {
    if (target === 'shared') writeFileSync(join(root, target), '*.o\n');
    symlinkSync(target, file);
    await assert.rejects(session.clone('x'), {
      message: `${file} is a symbolic link, which git does not follow; replace it with a regular file, or use --gitignore=false`,
    });
    assert.deepEqual([readlinkSync(file), session.file('shared'), existsSync(join(root, 'x'))], [target, '*.o\n', false]);
    rmSync(file);
  }
});

test('checkout asks before changes are lost, for all directories at once', async () => {
  const session = new Session();
  await session.clone('d');
  await session.clone('e/f', 'srv://lakes/main/');
  const questions: string[] = [];
  let agree = false;
  const confirm: CommandContext['confirm'] = async (operation, question, yes) => {
    if (yes === true) return;
    questions.push(`${operation}: ${question}`);
    if (!agree) throw new Error('no');
  };
  await session.run('checkout', 'd', {}, { confirm });
  assert.deepEqual(questions, [], 'nothing is lost');
  edit(session.root, { 'd/a.txt': 'changed', 'd/new': 'new', 'e/f/data/a.txt': 'changed' });
  await assert.rejects(session.run('checkout', 'd', {}, { confirm }), { message: 'no' });
  assert.equal(session.file('d/a.txt'), 'changed');
  assert.match(
    questions.join('\n'),
    /^Checkout: .*d differs from its last sync in 2 files; what was changed or added there will be lost\. Proceed$/,
  );
  await assert.rejects(session.run('checkout', '.', { all: true, ref: 'srv://lakes/main' }), {
    message: 'if any flags in the group [ref all] are set none of the others can be; [all ref] were all set',
  });
  questions.length = 0;
  agree = true;
  const { text } = await session.run('checkout', '.', { all: true }, { confirm });
  assert.equal(questions.length, 1);
  assert.match(text, /d: 1 file downloaded, 1 removed\n.*f: 1 file downloaded, 0 removed$/);
  assert.deepEqual(
    [onDisk(join(session.root, 'd')), onDisk(join(session.root, 'e/f'))],
    [{ 'a.txt': 'first', 'sub/b.txt': 'second' }, start],
  );
  await assert.rejects(session.run('checkout', 'd', { ref: 'srv://other/main' }), {
    message: /must be in the repository that the directory is linked with$/,
  });
  await assert.rejects(session.run('status', '.'), {
    message: /^could not find srv reference file in path .* or parents: file does not exist; /,
  });
});

test('status looks from anywhere within; the remote side is left out when asked', async () => {
  const session = new Session();
  await session.clone();
  edit(session.root, { 'd/sub/b.txt': undefined });
  session.server.change({ 'data/c': 'new' });
  const { data, text } = await session.run('status', 'd/sub');
  assert.deepEqual(data, {
    results: [
      { path: 'c', source: 'remote', change: 'added' },
      { path: 'sub/b.txt', source: 'local', change: 'removed' },
    ],
  });
  assert.match(text, /║ remote ║ added +║ c +║\n║ local +║ removed ║ sub\/b\.txt ║/);
  assert.deepEqual((await session.run('status', 'd', { local: true })).data, {
    results: [{ path: 'sub/b.txt', source: 'local', change: 'removed' }],
  });
});

test('special files fail, or are skipped and never replaced', async () => {
  const session = new Session();
  await session.clone();
  symlinkSync('/etc', join(session.root, 'd', 'link'));
  await assert.rejects(session.run('commit', 'd', { message: 'x' }), {
    message: /link: not a regular file; set local\.skip_non_regular_files/,
  });
  const skipping = new Session(session.server, { flags: { 'local.skip_non_regular_files': true } });
  Object.assign(skipping, { root: session.root });
  assert.equal((await skipping.run('status', 'd')).text, 'No diff found.');
  session.server.change({ 'data/link/x': 'below' });
  for (const [command, options] of [
    ['pull', {}],
    ['pull', { force: true }],
    ['commit', { message: 'x' }],
    ['checkout', { ref: 'srv://lakes/main', yes: true }],
  ] as const)
    await assert.rejects(
      skipping.run(command, 'd', options),
      { message: /^\* conflict link\/x \(a special file is in the way\)\nConflict found: / },
      command,
    );
  session.server.change({ 'data/link/x': undefined });
  await skipping.run('pull', 'd');
  mkdirSync(join(session.root, 'd', 'sub2'));
  assert.equal((await skipping.run('status', 'd')).text, 'No diff found.');
});

test('paths that lead out, and files of our own, never arrive', async () => {
  for (const evil of ['data/../../escaped', 'data//etc/passwd', 'data/./x', 'data/a\0b']) {
    const session = new Session(new ModelServer({ ...start, [evil]: 'bad' }));
    await assert.rejects(session.clone(), { message: /cannot be a file below .*\/d; / }, evil);
    assert.ok(!existsSync(join(session.root, 'd')), 'nothing is begun');
    const later = new Session();
    await later.clone();
    later.server.change({ [evil]: 'bad', 'data/new': 'new' });
    await assert.rejects(later.run('pull', 'd'), { message: /cannot be a file below/ }, evil);
    assert.deepEqual(onDisk(join(later.root, 'd')), { 'a.txt': 'first', 'sub/b.txt': 'second' });
  }
  const session = new Session(
    new ModelServer({ ...start, 'data/.srv_ref.yaml': 'src: srv://evil/main/', 'data/sub/.DS_Store': 'x', 'data/marker/': '' }),
  );
  await session.clone();
  assert.match(session.file('d/.srv_ref.yaml'), /^src: srv:\/\/lakes\/main\/data\/\n/);
  assert.equal((await session.run('status', 'd')).text, 'No diff found.');
  edit(session.root, { 'd/x': 'x' });
  await session.run('commit', 'd', { message: 'x' });
  assert.ok(
    session.server.tree('main').has('data/sub/.DS_Store') && session.server.tree('main').has('data/marker/'),
    'nor are they removed there',
  );
});

test('uncommitted changes of others: outside they stop a commit, inside they are part of it', async () => {
  const session = new Session();
  await session.clone();
  for (const outside of ['data0', 'data0/x', 'a', 'z', 'data']) {
    session.server.stage({ [outside]: 'theirs' });
    edit(session.root, { 'd/a.txt': `for ${outside}` });
    await assert.rejects(session.run('commit', 'd', { message: 'x' }), {
      message: new RegExp(`^Branch main contains uncommitted changes outside of local path '.*d', such as ${outside}\\.\n`),
    });
    await session.run('commit', 'd', { message: 'x', force: true });
    assert.deepEqual(session.server.uncommitted('main'), []);
  }
  session.server.stage({ 'data/theirs': 'theirs' });
  assert.match(
    (await session.run('commit', 'd', { message: 'with theirs' })).text,
    /Downloaded: 1\nUploaded: 0\nRemoved: 0\n\nCommit for branch "main" completed\./,
  );
  assert.equal(session.file('d/theirs'), 'theirs');
  session.server.stage({ 'data/a.txt': 'theirs' });
  edit(session.root, { 'd/a.txt': 'mine' });
  await assert.rejects(session.run('commit', 'd', { message: 'x' }), {
    message: /^\* conflict a\.txt\nConflict found: nothing was changed\. /,
  });
  assert.deepEqual([session.file('d/a.txt'), session.server.tree('main').get('data/a.txt')?.content], ['mine', 'theirs']);
});

/** Does something once, right before the first call of an operation. */
function meanwhile(session: Session, operation: string, action: () => void): Partial<CommandContext> {
  let done = false;
  return always(session, operation, () => {
    if (!done) action();
    done = true;
  });
}

/** Does something right before every call of an operation. */
function always(session: Session, operation: string, action: () => void): Partial<CommandContext> {
  return {
    client: async () => {
      const { context } = await localContext(session.server);
      const client = await context.client();
      return new Proxy(client, {
        get: (target, name, receiver) => {
          if (name === operation) action();
          return Reflect.get(target, name, receiver) as unknown;
        },
      });
    },
  };
}

test('writes to a server without If-Match after checking what is there', async () => {
  const session = new Session();
  const { server, root } = session;
  server.conditional = false;
  await session.clone();
  edit(root, { 'd/a.txt': 'mine', 'd/sub/b.txt': 'mine too', 'd/new': 'new' });
  await session.run('commit', 'd', { message: 'x' });
  assert.deepEqual(server.committed('main', 'data/'), { 'a.txt': 'mine', 'sub/b.txt': 'mine too', new: 'new' });
  assert.equal(server.calls.filter(call => call === 'statObject').length, 2, 'new files need no check');
  assert.equal((await session.run('status', 'd')).text, 'No diff found.');

  edit(root, { 'd/a.txt': 'later' });
  const raced = meanwhile(session, 'uploadObject', () => server.stage({ 'data/a.txt': 'theirs' }));
  await assert.rejects(session.run('commit', 'd', { message: 'x' }, raced), {
    message: /^data\/a\.txt was changed on the branch meanwhile/,
  });
  assert.equal(server.tree('main').get('data/a.txt')?.content, 'theirs');
  const gone = meanwhile(session, 'uploadObject', () => server.stage({ 'data/a.txt': undefined }));
  await session.run('pull', 'd', { force: true });
  server.branches.get('main')?.staged.clear();
  edit(root, { 'd/a.txt': 'later' });
  await assert.rejects(session.run('commit', 'd', { message: 'x' }, gone), { message: /^data\/a\.txt was changed on the branch/ });
});

test('a directory that another client linked stays linked for it', async () => {
  const session = new Session();
  const { server, root } = session;
  const own = join(root, 'd', '.srv_ref.yaml');
  const foreign = join(root, 'd', '.lakefs_ref.yaml');
  mkdirSync(join(root, 'd'));
  edit(root, { 'd/a.txt': 'first', 'd/sub/b.txt': 'second' });
  writeFileSync(foreign, `src: lakefs://lakes/main/data/\nat_head: ${server.head()}\nactive_operation: ""\n`);
  assert.equal((await session.run('status', 'd')).text, 'No diff found.');
  const linked = (head: string, ref = 'main') => `src: lakefs://lakes/${ref}/data/\nat_head: ${head}\nactive_operation: ""\n`;
  edit(root, { 'd/new': 'new' });
  await session.run('commit', 'd', { message: 'x' });
  assert.equal(readFileSync(foreign, 'utf8'), linked(server.head()));
  server.change({ 'data/a.txt': 'theirs' });
  await session.run('pull', 'd');
  assert.equal(readFileSync(foreign, 'utf8'), linked(server.head()));
  server.branches.set('dev', { head: 'c1', staged: new Map() });
  await session.run('checkout', 'd', { ref: 'srv://lakes/dev', yes: true });
  assert.equal(readFileSync(foreign, 'utf8'), linked('c1', 'dev'));
  assert.ok(!existsSync(own));
  assert.equal((await session.run('list', '.')).text, 'd\tsrv://lakes/dev/data/\tc1');
  await session.run('init', 'd', { force: true, gitignore: false }, {}, 'srv://lakes/main/');
  assert.match(readFileSync(foreign, 'utf8'), /^src: lakefs:\/\/lakes\/main\/\n/);
  assert.ok(!existsSync(own));
  // Both are there: ours counts, and the other is left alone.
  const before = readFileSync(foreign, 'utf8');
  writeFileSync(own, `src: srv://lakes/main/data/\nat_head: c1\nactive_operation: ""\n`);
  await session.run('pull', 'd', { force: true });
  assert.deepEqual([readFileSync(foreign, 'utf8'), readFileSync(own, 'utf8').split('\n')[0]], [before, 'src: srv://lakes/main/data/']);
  const damaged = new Session(new ModelServer(start));
  mkdirSync(join(damaged.root, 'd'));
  writeFileSync(join(damaged.root, 'd', '.lakefs_ref.yaml'), 'x');
  await assert.rejects(damaged.run('status', 'd'), { message: /\.lakefs_ref\.yaml is damaged/ });
});

test('symbolic links travel as such when asked to, and are never followed', async () => {
  const flags = { 'local.symlink_support': true };
  const session = new Session(new ModelServer(start), { flags });
  const { server, root } = session;
  await session.clone();
  symlinkSync('a.txt', join(root, 'd', 'link'));
  symlinkSync('/etc', join(root, 'd', 'sub', 'out'));
  symlinkSync('gone \u00fc', join(root, 'd', 'dangling'));
  assert.deepEqual((await session.run('status', 'd')).data, {
    results: ['dangling', 'link', 'sub/out'].map(path => ({ path, source: 'local', change: 'added' })),
  });
  await session.run('commit', 'd', { message: 'x' });
  const stored = server.tree('main').get('data/sub/out');
  assert.deepEqual([stored?.content, stored?.metadata['::lakefs::symlink-target']], ['', '/etc']);
  assert.equal((await session.run('status', 'd')).text, 'No diff found.');

  await session.clone('copy');
  const targets = ['link', 'sub/out', 'dangling'].map(path => readlinkSync(join(root, 'copy', path)));
  assert.deepEqual(targets, ['a.txt', '/etc', 'gone \u00fc']);
  assert.equal((await session.run('status', 'copy')).text, 'No diff found.');

  rmSync(join(root, 'd', 'link'));
  symlinkSync('sub/b.txt', join(root, 'd', 'link'));
  rmSync(join(root, 'd', 'dangling'));
  rmSync(join(root, 'd', 'sub', 'out'));
  writeFileSync(join(root, 'd', 'sub', 'out'), 'a file');
  await session.run('commit', 'd', { message: 'y' });
  await session.run('pull', 'copy');
  assert.equal(readlinkSync(join(root, 'copy', 'link')), 'sub/b.txt');
  assert.deepEqual(onDisk(join(root, 'copy')), { 'a.txt': 'first', 'sub/b.txt': 'second', 'sub/out': 'a file' });
  assert.ok(!readdirSync(join(root, 'copy')).includes('dangling'));

  // A link in the way of a folder is not written through.
  rmSync(join(root, 'copy', 'link'));
  mkdirSync(join(root, 'elsewhere'));
  symlinkSync(join(root, 'elsewhere'), join(root, 'copy', 'link'));
  server.change({ 'data/link': undefined, 'data/link/x': 'below' });
  await assert.rejects(session.run('pull', 'copy'), { message: /1 uncommitted change/ });
  await session.run('pull', 'copy', { force: true });
  assert.deepEqual([readdirSync(join(root, 'elsewhere')), session.file('copy/link/x')], [[], 'below']);

  // Without the option an object of a link is an empty file, and a link is refused.
  const plain = new Session(server);
  server.branches.get('main')?.staged.set('data/l', { content: '', mtime: 1, metadata: { '::lakefs::symlink-target': 'a.txt' } });
  server.commit('link', {}, 'main');
  await plain.clone();
  assert.equal(plain.file('d/l'), '');
  symlinkSync('x', join(plain.root, 'd', 'y'));
  await assert.rejects(plain.run('status', 'd'), { message: /y: not a regular file; .*or local\.symlink_support to keep links$/ });
});

test('does not overwrite what changes while a command runs', async () => {
  const session = new Session();
  await session.clone();
  const { server, root } = session;
  edit(root, { 'd/a.txt': 'mine', 'd/z': 'mine' });
  const raced = meanwhile(session, 'uploadObject', () => server.stage({ 'data/a.txt': 'theirs', 'data/z': 'theirs' }));
  await assert.rejects(session.run('commit', 'd', { message: 'x' }, raced), {
    message: /^data\/a\.txt was changed on the branch meanwhile/,
  });
  assert.equal(server.tree('main').get('data/z')?.content, 'theirs');
  await session.run('pull', 'd', { force: true });
  server.branches.get('main')?.staged.clear();

  edit(root, { 'd/a.txt': 'mine' });
  const edited = meanwhile(session, 'uploadObject', () => writeFileSync(join(root, 'd/a.txt'), 'more'));
  await session.run('commit', 'd', { message: 'x' }, edited);
  assert.equal(server.committed()['data/a.txt'], 'more', 'what was sent too early is sent again');
  assert.deepEqual((await session.run('status', 'd')).data, { results: [] });

  server.change({ 'data/a.txt': 'remote', 'data/new': 'remote' });
  const written = meanwhile(session, 'getObject', () => edit(root, { 'd/a.txt': 'typed in', 'd/new': 'typed in' }));
  await assert.rejects(session.run('pull', 'd', {}, written), {
    message: /a\.txt changed while this command ran and was not touched; /,
  });
  assert.deepEqual([session.file('d/a.txt'), readdirSync(join(root, 'd')).filter(name => name.endsWith('.part'))], ['typed in', []]);
  await assert.rejects(session.run('pull', 'd'), { message: /^there are 2 uncommitted changes\. / });

  const late = new Session();
  await late.clone();
  edit(late.root, { 'd/a.txt': 'mine' });
  const joined = meanwhile(late, 'commit', () => late.server.stage({ 'data/late': 'theirs', 'data/a.txt': 'theirs' }));
  await late.run('commit', 'd', { message: 'x' }, joined);
  assert.deepEqual(
    onDisk(join(late.root, 'd')),
    { 'a.txt': 'mine', late: 'theirs', 'sub/b.txt': 'second' },
    'what is in the commit is here',
  );
  assert.deepEqual((await late.run('status', 'd')).data, { results: [{ path: 'a.txt', source: 'local', change: 'modified' }] });
});

test('a file that never stays as it is, or goes away, is not committed', async () => {
  const session = new Session();
  await session.clone();
  const { server, root } = session;
  const file = join(root, 'd/a.txt');
  let sent = 0;
  for (const change of [() => writeFileSync(file, `version ${++sent}`), () => rmSync(file)]) {
    edit(root, { 'd/a.txt': 'mine' });
    await assert.rejects(session.run('commit', 'd', { message: 'x' }, always(session, 'uploadObject', change)), {
      message: /a\.txt changed while it was uploaded; nothing was committed/,
    });
    assert.equal(server.committed()['data/a.txt'], 'first');
    await session.run('pull', 'd', { force: true });
    server.branches.get('main')?.staged.clear();
  }
  assert.equal(sent, 3);
});

test('a damaged download replaces nothing', async () => {
  const session = new Session();
  await session.clone();
  session.server.change({ 'data/a.txt': 'later' });
  const damaged: Partial<CommandContext> = {
    client: async () => {
      const { context } = await localContext(session.server);
      const getObject = async () => ({
        headers: { etag: '"b1946ac92492d2347c6235b4d2611184"' },
        body: Readable.from([Buffer.from('LATER')]),
      });
      return new Proxy(await context.client(), {
        get: (target, name, receiver) => (name === 'getObject' ? getObject : (Reflect.get(target, name, receiver) as unknown)),
      });
    },
  };
  await assert.rejects(session.run('pull', 'd', {}, damaged), { message: /^data\/a\.txt: the bytes received have MD5 / });
  assert.deepEqual(onDisk(join(session.root, 'd')), { 'a.txt': 'first', 'sub/b.txt': 'second' });
  await session.run('pull', 'd');
  assert.equal(session.file('d/a.txt'), 'later');
});

test('keeps times, and does not take a touched file for a change', async () => {
  const session = new Session();
  await session.clone();
  assert.equal(statSync(join(session.root, 'd/a.txt')).mtimeMs, 1e12);
  edit(session.root, { 'd/b': 'timed' });
  utimesSync(join(session.root, 'd/b'), 1_234_567_890, 1_234_567_890);
  await session.run('commit', 'd', { message: 'x' });
  assert.deepEqual(session.server.tree('main').get('data/b')?.metadata, { '::lakefs::client-mtime': '1234567890' });
  await session.clone('e');
  assert.equal(statSync(join(session.root, 'e/b')).mtimeMs, 1_234_567_890_000);
  utimesSync(join(session.root, 'e/b'), 5, 5);
  assert.equal((await session.run('status', 'e')).text, 'No diff found.');
});

test('keeps times before 1970, and those that file systems only come near to', async () => {
  const session = new Session();
  await session.clone();
  const times = { recent: 1_234_567_890, negative: -1, old: -1_234_567_890, oldest: -999_999_999_999_999, latest: 999_999_999_999_999 };
  for (const [name, seconds] of Object.entries(times)) {
    edit(session.root, { [`d/${name}`]: name });
    utimesSync(join(session.root, 'd', name), String(seconds), String(seconds));
  }
  await session.run('commit', 'd', { message: 'x' });
  assert.deepEqual(session.server.tree('main').get('data/negative')?.metadata, { '::lakefs::client-mtime': '-1' });
  await session.clone('e');
  for (const name of Object.keys(times))
    assert.equal(statSync(join(session.root, 'e', name)).mtimeMs, statSync(join(session.root, 'd', name)).mtimeMs, name);
  assert.equal((await session.run('status', 'e')).text, 'No diff found.');
});

test('a failure before anything was changed leaves no mark, and hides no edit', async () => {
  const session = new Session();
  await session.clone();
  const place = (name: string): string => join(session.root, 'd', name);
  edit(session.root, { 'd/a.txt': 'right' });
  utimesSync(place('a.txt'), 1_600_000_000, 1_600_000_000);
  await session.run('commit', 'd', { message: 'x' });
  // As if the next edit came within the second of the commit.
  edit(session.root, { 'd/a.txt': 'wrong' });
  for (const name of ['a.txt', '.srv_ref.yaml']) utimesSync(place(name), 1_600_000_000, 1_600_000_000);
  const failing = meanwhile(session, 'uploadObject', () => {
    throw new Error('refused');
  });
  await assert.rejects(session.run('commit', 'd', { message: 'y' }, failing), { message: 'refused' });
  assert.match(session.file('d/.srv_ref.yaml'), /\nactive_operation: ""\n$/);
  assert.deepEqual((await session.run('status', 'd')).data, { results: [{ path: 'a.txt', source: 'local', change: 'modified' }] });
  await session.run('commit', 'd', { message: 'y' });
  assert.equal(session.server.committed()['data/a.txt'], 'wrong');
});

test('empty folders give way to files; folders with files of their own do not', async () => {
  const session = new Session();
  await session.clone();
  edit(session.root, { 'd/a.txt': undefined });
  mkdirSync(join(session.root, 'd/a.txt/deep/er'), { recursive: true });
  await session.run('checkout', 'd', { yes: true });
  assert.equal(session.file('d/a.txt'), 'first');
  edit(session.root, { 'd/a.txt': undefined, 'd/a.txt/deep/.DS_Store': 'x' });
  await assert.rejects(session.run('checkout', 'd', { yes: true }), {
    message: /a\.txt changed while this command ran and was not touched; /,
  });
  assert.equal(session.file('d/a.txt/deep/.DS_Store'), 'x');
});

test('a folder named like the linked one is no other folder', async () => {
  const session = new Session(new ModelServer({ 'data/data/x': '1', 'data/x': '2' }));
  await session.clone();
  edit(session.root, { 'd/data/x': 'one', 'd/data/data/y': 'new' });
  await session.run('commit', 'd', { message: 'x' });
  assert.deepEqual(session.server.committed(), { 'data/data/data/y': 'new', 'data/data/x': 'one', 'data/x': '2' });
  edit(session.root, { 'd/data/x': 'lost', 'd/data/data/y': undefined });
  await session.run('checkout', 'd', { yes: true });
  assert.deepEqual(onDisk(join(session.root, 'd')), { 'data/data/y': 'new', 'data/x': 'one', x: '2' });
});

test('interrupted by the user: reports the remedy', async () => {
  const session = new Session();
  await session.clone();
  session.server.change({ 'data/0': 'new', 'data/a.txt': 'later' });
  const stop = new AbortController();
  const told: string[] = [];
  const tell = (line: string): void => {
    told.push(line);
    if (line === 'download 0') stop.abort(new Error('interrupted'));
  };
  await assert.rejects(session.run('pull', 'd', {}, { tell, signal: stop.signal }));
  assert.match(told.join('\n'), /^Latest pull operation was interrupted, local data may be incomplete\.\nRun "cli local pull" again/m);
  const { data } = await session.run('status', 'd', {}, { format: 'json' });
  assert.match(
    JSON.stringify(data),
    /^\{"results":\[\{"path":"a\.txt","source":"remote","change":"modified"\}\],"interrupted":"Latest pull /,
  );
  const { context } = await localContext(session.server);
  const answers = (await localStatus.run(context, { args: [join(session.root, 'd')], options: {} })) as AsyncIterable<unknown>;
  const seen: unknown[] = [];
  const reading = async (): Promise<void> => {
    for await (const answer of answers) seen.push(answer);
  };
  await assert.rejects(reading(), { message: /^Latest pull operation was interrupted, / }, 'as text, it fails');
  assert.deepEqual(seen, [{ results: [{ path: 'a.txt', source: 'remote', change: 'modified' }] }], 'after it was shown');
});

test('without arguments that make sense', async () => {
  const session = new Session();
  await session.clone();
  await assert.rejects(session.run('commit', 'd'), {
    message: 'commit with no message without specifying the "--allow-empty-message" flag',
  });
  assert.equal((await session.run('commit', 'd', { 'allow-empty-message': true })).text, '\nSync Summary:\n\nNo changes');
  await session.run('checkout', 'd', { ref: 'srv://lakes/c0' });
  assert.deepEqual(onDisk(join(session.root, 'd')), {});
  await assert.rejects(session.run('commit', 'd', { message: 'x' }), {
    message: /^c0 is not a branch of lakes: only branches can be committed to; /,
  });
  await assert.rejects(
    session.run('pull', 'd', { parallelism: 0 }).then(() => session.run('checkout', 'd', { ref: 'srv://lakes/main', parallelism: 0 })),
    {
      message: 'Invalid value for parallelism (0), minimum is 1.',
    },
  );
});

test('POSIX mode keeps permissions and empty folders', async () => {
  const posix = { flags: { 'experimental.local.posix_permissions.enabled': true } };
  const session = new Session(new ModelServer(start), posix);
  const { root, server } = session;
  await session.clone();
  assert.equal((await session.run('status', 'd')).text, 'No diff found.', 'objects without permissions have ordinary ones');
  chmodSync(join(root, 'd/a.txt'), 0o750);
  mkdirSync(join(root, 'd/empty'), { mode: 0o700 });
  edit(root, { 'd/run': 'run' });
  const { data } = await session.run('status', 'd');
  assert.deepEqual(
    (data as { results: { path: string; change: string }[] }).results.map(r => `${r.change} ${r.path}`),
    ['modified a.txt', 'added empty/', 'added run'],
  );
  await session.run('commit', 'd', { message: 'x' });
  assert.match(
    server.tree('main').get('data/a.txt')?.metadata['::lakefs::posix-permissions'] ?? '',
    /^\{"UID":\d+,"GID":\d+,"Mode":33256\}$/,
  );
  await session.clone('e');
  assert.deepEqual([statSync(join(root, 'e/a.txt')).mode & 0o777, statSync(join(root, 'e/empty')).mode & 0o777], [0o750, 0o700]);
  assert.equal((await session.run('status', 'e')).text, 'No diff found.');
  chmodSync(join(root, 'd/a.txt'), 0o640);
  edit(root, { 'd/sub/b.txt': undefined, 'd/empty': 'now a file' });
  await session.run('commit', 'd', { message: 'y' });
  await session.run('pull', 'e');
  assert.deepEqual([statSync(join(root, 'e/a.txt')).mode & 0o777, session.file('e/empty')], [0o640, 'now a file']);
  assert.deepEqual(onDisk(join(root, 'e')), onDisk(join(root, 'd')));
});

/** Bytes that this process has read from files and sockets. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

test('after a commit, unchanged files are not read again, and a change is noticed whatever its time says', {
  skip: !existsSync('/proc/self/io') && 'needs Linux',
}, async () => {
  const session = new Session(new ModelServer({ 'data/old': 'x' }));
  await session.clone();
  const size = 1 << 20;
  const place = (i: number): string => join(session.root, 'd', `f${i}`);
  for (let i = 0; i < 20; i++) writeFileSync(place(i), Buffer.alloc(size, String(i)));
  // Their stamps have settled.
  await sleep(100);
  await session.run('commit', 'd', { message: 'm' });
  for (let round = 0; round < 2; round++) {
    const before = bytesRead();
    assert.match((await session.run('status', 'd')).text, /No diff found/);
    const read = bytesRead() - before;
    assert.ok(read < 4 * size, `${read} bytes were read`);
  }
  const { mtime } = statSync(place(7));
  writeFileSync(place(7), Buffer.alloc(size, 'y'));
  utimesSync(place(7), mtime, mtime);
  assert.match((await session.run('status', 'd')).text, /modified.*f7/);
});

test('a damaged or foreign file of known contents is not believed', async () => {
  const session = new Session();
  await session.clone();
  for (const text of ['no JSON', '["a.txt"]\n', `${JSON.stringify(['a.txt', '1:5:1:1:1', 'ab'.repeat(16)])}\n`]) {
    writeFileSync(join(session.root, 'd/.srv_ref.contents'), text);
    assert.match((await session.run('status', 'd')).text, /No diff found/);
  }
});

test('a renamed folder is copied on the branch, not uploaded again', async () => {
  const files = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`data/from/${i}`, `content ${i}`]));
  const session = new Session(new ModelServer({ ...files, 'data/keep': 'keep', 'data/gone': 'gone' }));
  await session.clone();
  renameSync(join(session.root, 'd/from'), join(session.root, 'd/to'));
  // Of the size of a removed one, but another content; and a copy of a file that stays.
  writeFileSync(join(session.root, 'd/new'), 'nogo');
  rmSync(join(session.root, 'd/gone'));
  session.server.calls.length = 0;
  await session.run('commit', 'd', { message: 'renamed' });
  const count = (name: string): number => session.server.calls.filter(call => call.startsWith(name)).length;
  assert.deepEqual([count('copyObject'), count('uploadObject')], [6, 1]);
  const expected = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`to/${i}`, `content ${i}`]));
  assert.deepEqual(session.server.committed('main', 'data/'), { ...expected, keep: 'keep', new: 'nogo' });
  const times = [...session.server.tree('main')].filter(([path]) => path.startsWith('data/to/')).map(([, { metadata }]) => metadata);
  for (const metadata of times) assert.equal(metadata['::lakefs::client-mtime'], '1000000000');
  assert.match((await session.run('status', 'd')).text, /No diff found/);
});
