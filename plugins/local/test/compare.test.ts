/** The pure parts of `local`: order, comparison, index file, names, texts. */

import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  clientMtime,
  defaultPermissions,
  formatPermissions,
  isAbandoned,
  isIgnored,
  isIgnoredPath,
  readPermissions,
  samePermissions,
  temporaryFor,
  walk,
} from '@srv/engine/transfer';
import { scratchFolder } from '@srv/kernel/testing';
import { describeTerminal } from '@srv/lib-commands';
import { compareBytes } from '@srv/lib-records';
import fc from 'fast-check';
import { compareTrees, isConflict } from '../src/cli/sync/compare.js';
import { commitUrl, withIgnored } from '../src/cli/sync/git.js';
import { findIndex, formatIndex, interruption, operations, parseIndex, readIndex, writeIndex } from '../src/cli/sync/index-file.js';
import { KnownContents } from '../src/cli/sync/known-contents.js';
import { printable, statusTable, summary } from '../src/cli/sync/render.js';
import { sameness } from '../src/cli/sync/sameness.js';
import { byBytes, md5 } from './model-server.js';
import type { LocalEntry } from '@srv/engine/transfer';
import type { Comparison, PathState } from '../src/cli/sync/compare.js';
import type { LocalIndex } from '../src/cli/sync/index-file.js';
import type { RemoteEntry } from '../src/cli/sync/remote-tree.js';

const plain = describeTerminal({ env: {}, stdoutIsTerminal: false, stdinIsTerminal: false, noColor: true });

test('paths are ordered by the bytes of UTF-8', () => {
  assert.ok(compareBytes('\u{ff5e}', '\u{1f600}') < 0, 'although the surrogates of the second are smaller');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      assert.equal(Math.sign(compareBytes(a, b)), byBytes(a, b));
    }),
  );
});

test('a folder is walked in the order of an object store', async () => {
  const folder = scratchFolder();
  const names = [
    'a/x',
    'a-b',
    'a.b',
    'a0',
    'a/\u{1f600}',
    'a/\u{ff5e}',
    'B',
    '.hidden/y',
    '.srv_ref.yaml',
    'a/.DS_Store',
    'a/.srv_ref.yaml',
  ];
  for (const name of names) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), name);
  }
  mkdirSync(join(folder, 'empty'));
  const own = temporaryFor(join(folder, 'a', 'x'));
  const abandoned = own.replace(/\.\d+-/, '.2147483646-');
  // Of another host, and of an earlier version.
  const unseen = ['2147483646-01234567-00000000', '2147483646-00000000'].map(mark => join(folder, 'a', `.srv_ref.${mark}.part`));
  for (const file of [abandoned, own, ...unseen]) writeFileSync(file, '');
  const paths = async (options: Parameters<typeof walk>[1]): Promise<string[]> => {
    const found: string[] = [];
    for await (const { path } of walk(folder, options)) found.push(path);
    return found;
  };
  const expected = ['.hidden/y', 'B', 'a-b', 'a.b', 'a/x', 'a/\u{ff5e}', 'a/\u{1f600}', 'a0'];
  assert.deepEqual(await paths({ folders: false, skipSpecial: false }), expected);
  assert.deepEqual(await paths({ folders: true, skipSpecial: false }), [...expected, '.hidden/', 'a/', 'empty/'].sort(byBytes));
  assert.deepEqual(
    [abandoned, own, ...unseen].map(file => existsSync(file)),
    [false, true, true, true],
    'unfinished files are removed when their process is known to have ended',
  );
  const hourMs = 3_600_000;
  for (const [hours, isOver] of [
    [23, false],
    [25, true],
  ] as const)
    for (const file of unseen) {
      utimesSync(file, 1, 1);
      assert.equal(await isAbandoned(file, Date.now() + hours * hourMs), isOver, file);
    }
  symlinkSync('/etc', join(folder, 'a1'));
  await assert.rejects(paths({ folders: false, skipSpecial: false }), {
    message: /a1: not a regular file; set local\.skip_non_regular_files/,
  });
  assert.deepEqual(await paths({ folders: false, skipSpecial: true }), [...expected, 'a1']);
});

test('names of our own are ignored on both sides', async () => {
  for (const name of [
    '.srv_ref.yaml',
    '.lakefs_ref.yaml',
    '.DS_Store',
    '.srv_ref.12-0123abcd.part',
    '.srv_ref.12-89abcdef-0123abcd.part',
  ]) {
    assert.ok(isIgnored(name), name);
    assert.ok(isIgnoredPath(`a/b/${name}`) && isIgnoredPath(name), name);
  }
  for (const path of ['a', 'x.srv_ref.yaml', '.srv_ref.yaml/x', '.srv_ref.part', 'a/.gitignore', '']) assert.ok(!isIgnoredPath(path), path);
  for (const path of ['a', '.srv_ref.2147483646-00000000.part']) assert.ok(!(await isAbandoned(join(scratchFolder(), path))), 'not there');
});

const remote = (path: string, content: string): RemoteEntry => ({
  path,
  object: path,
  checksum: md5(content),
  size: content.length,
  mtime: 1,
});
const local = (path: string, content: string, kind: LocalEntry['kind'] = 'file'): LocalEntry => ({
  path,
  kind,
  size: content.length,
  mtime: 1,
  mode: 0,
  uid: 0,
  gid: 0,
  stamp: content,
});

async function* stream<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

type Files = Readonly<Record<string, string>>;

/** The stamp of a local entry is its content here. */
const rules = {
  sameAsLocal: async (a: RemoteEntry, b: LocalEntry) => a.checksum === md5(b.stamp),
  sameRemote: (a: RemoteEntry, b: RemoteEntry) => a.checksum === b.checksum,
  impliedFolder: () => true,
};

async function compared(base: Files, target: Files | undefined, here: Files, extra: Partial<Comparison> = {}): Promise<PathState[]> {
  const entries = <T>(files: Files, make: (path: string, content: string) => T): AsyncIterable<T> =>
    stream(
      Object.keys(files)
        .sort(byBytes)
        .map(path => make(path, files[path] ?? '')),
    );
  const states: PathState[] = [];
  const comparison: Comparison = {
    base: entries(base, remote),
    target: target ? entries(target, remote) : undefined,
    local: entries(here, (path, content) => local(path, content, content === 'special' ? 'special' : 'file')),
    ...rules,
    ...extra,
  };
  for await (const state of compareTrees(comparison)) states.push(state);
  return states;
}

test('three sides: who changed what', async () => {
  const vectors: readonly [base: string | undefined, target: string | undefined, here: string | undefined, verdict: string][] = [
    ['1', '1', '1', ''],
    ['1', '1', '2', 'local modified'],
    ['1', '1', undefined, 'local removed'],
    [undefined, undefined, '1', 'local added'],
    ['1', '2', '1', 'remote modified'],
    ['1', undefined, '1', 'remote removed'],
    [undefined, '1', undefined, 'remote added'],
    ['1', '2', '2', 'both'],
    ['1', undefined, undefined, 'both'],
    [undefined, '1', '1', 'both'],
    ['1', '2', '3', 'conflict'],
    ['1', '2', undefined, 'conflict'],
    ['1', undefined, '2', 'conflict'],
    [undefined, '1', '2', 'conflict'],
    ['1', '1', 'special', ''],
    ['1', '2', 'special', 'conflict'],
    [undefined, '1', 'special', 'conflict'],
    [undefined, undefined, 'special', ''],
  ];
  for (const [base, target, here, verdict] of vectors) {
    const files = (content: string | undefined): Files => (content === undefined ? {} : { x: content });
    const [state] = await compared(files(base), files(target), files(here));
    const found = !state
      ? ''
      : isConflict(state)
        ? 'conflict'
        : state.localChange && state.remoteChange
          ? 'both'
          : state.localChange
            ? `local ${state.localChange}`
            : `remote ${state.remoteChange}`;
    assert.equal(found, verdict, JSON.stringify([base, target, here]));
    if (state) assert.equal(state.inStep, verdict === 'both');
  }
});

test('comparing with one remote side is comparing with it twice', async () => {
  const files = fc.dictionary(fc.constantFrom('a', 'a-', 'a/b', 'a0', 'b', '\u{1f600}', '\u{ff5e}'), fc.constantFrom('1', '2'));
  await fc.assert(
    fc.asyncProperty(files, files, async (base, here) => {
      assert.deepEqual(await compared(base, undefined, here), await compared(base, base, here));
    }),
  );
});

test('special files hide what is below them', async () => {
  const states = await compared({ 'a/x': '1', 'a-': '1', b: '1' }, { 'a/x': '2', 'a-': '1', b: '1' }, { a: 'special', 'a-': '1', b: '1' });
  assert.deepEqual(
    states.map(s => [s.path, isConflict(s), s.localChange]),
    [['a/x', true, undefined]],
  );
  assert.deepEqual(await compared({ 'a/x': '1' }, { 'a/x': '1' }, { a: 'special' }), [], 'nothing is taken for removed');
});

test('a file and a folder of one name cannot both come', async () => {
  const nested = { message: /^"a\/b" lies below another object of that name; / };
  await assert.rejects(compared({}, { a: '1', 'a-': '1', 'a/b': '1' }, {}, { outcome: 'merged' }), nested);
  await assert.rejects(compared({}, { a: '1' }, { 'a/b': '1' }, { outcome: 'merged' }), nested);
  await compared({ a: '1' }, { 'a/b': '1' }, { a: '1' }, { outcome: 'merged' });
  await compared({ 'a/b': '1' }, { 'a/b': '1' }, { a: '1' }, { outcome: 'target' });
  await compared({}, { a: '1', 'a/b': '1' }, {});
});

test('a listing out of order is not believed', async () => {
  await assert.rejects(compared({}, undefined, {}, { base: stream([remote('b', ''), remote('a', '')]) }), {
    message: 'the listing is out of order: "a" came after "b"',
  });
});

test('files are read only when size and time leave it open', async () => {
  const folder = scratchFolder();
  writeFileSync(join(folder, 'f'), 'here');
  const off = { enabled: false, uid: false, gid: false };
  const { sameAsLocal } = sameness({ folder, posix: off, syncedAt: 5000, contents: await KnownContents.open(folder) });
  const here = (mtime: number): LocalEntry => ({ ...local('f', 'here'), mtime });
  const there = (content: string, mtime: number, checksum = md5(content)): RemoteEntry => ({ ...remote('f', content), mtime, checksum });
  assert.equal(await sameAsLocal(there('else', 1), here(1), false), true, 'believed: older than the last sync');
  assert.equal(await sameAsLocal(there('else', 1), here(1), true), false);
  assert.equal(await sameAsLocal(there('else', 4), here(4), false), false, 'as young as the last sync');
  assert.equal(await sameAsLocal(there('here', 4), here(9), false), true, 'touched only');
  assert.equal(await sameAsLocal(there('longer', 1), here(1), false), false);
  assert.equal(await sameAsLocal(there('here', 1, 'abc-5'), here(9), false), false, 'a checksum that shows nothing');
  assert.equal(await sameAsLocal(there('here', 9, 'abc-5'), here(9), false), true);
});

const index: LocalIndex = { src: { repository: 'repo', ref: 'main', path: 'a b/"x"/' }, head: 'abc123' };

test('the index file: three keys, in order; more while an operation is under way', () => {
  assert.match(
    formatIndex({ ...index, src: { ...index.src, path: 'p/' } }),
    /^src: srv:\/\/repo\/main\/p\/\nat_head: abc123\nactive_operation: ""\n$/,
  );
  for (const name of operations) {
    const active = { ...index, active: { name, head: 'def', src: { ...index.src, ref: 'v1' } } };
    assert.deepEqual(parseIndex(formatIndex(active), 'f'), active);
    assert.match(
      interruption(active) ?? '',
      new RegExp(`^Latest ${name} operation was interrupted, local data may be incomplete\\.\\n\\w`),
    );
  }
  assert.equal(interruption(index), undefined);
  assert.doesNotMatch(interruption({ ...index, active: { name: 'pull' } }) ?? '', /again/, 'of another client: it cannot be completed');
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), path => {
      const any = { ...index, src: { ...index.src, path: path === '' || path.endsWith('/') ? path : `${path}/` } };
      assert.deepEqual(parseIndex(formatIndex(any), 'f'), any);
    }),
  );
  assert.deepEqual(parseIndex('src: lakefs://repo/main/p\nat_head: abc\nactive_operation: ""\n', 'f').src, {
    repository: 'repo',
    ref: 'main',
    path: 'p/',
  });
});

test('a hostile index file is refused', () => {
  const vectors: readonly [text: string, complaint: RegExp][] = [
    ['', /it holds no keys/],
    ['- a', /it holds no keys/],
    ['src: [', /\w/],
    ['src: srv://repo/main/\n', /at_head is not a commit/],
    ['src: 5\nat_head: abc', /src is not text/],
    ['src: srv://repo\nat_head: abc', /src is not a path URI: missing reference part/],
    ['src: http://repo/main/\nat_head: abc', /src is not a path URI: malformed srv URI/],
    ['src: srv://REPO/main/\nat_head: abc', /invalid repository name/],
    ['src: srv://repo/main/\nat_head: ../../x', /at_head is not a commit/],
    ['src: srv://repo/main/\nat_head: [a]', /at_head is not text/],
    ['src: srv://repo/main/\nat_head: abc\nactive_operation: rm', /active_operation is not one of clone, pull, commit, checkout/],
    ['src: srv://repo/main/\nat_head: abc\nactive_operation: pull\noperation_head: "a b"', /operation_head is not a commit/],
    ['src: srv://repo/main/\nat_head: abc\nsrc: srv://repo/main/', /must be unique/],
    ['a: &a [x]\nb: [*a, *a]\nsrc: srv://repo/main/\nat_head: abc', /alias/i],
    ['__proto__: {src: srv://repo/main/, at_head: abc}', /src is not a path URI/],
  ];
  for (const [text, complaint] of vectors) {
    assert.throws(() => parseIndex(text, '/d/.srv_ref.yaml'), { message: complaint }, text);
    assert.throws(
      () => parseIndex(text, '/d/.srv_ref.yaml'),
      { message: /^\/d\/\.srv_ref\.yaml is damaged: .*"cli local init --force"$/ },
      text,
    );
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      assert.throws(() => parseIndex(text, 'f'), { message: /^f is damaged: / });
    }),
  );
});

test('finds the index from below, ours before those of other programs', async () => {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'a', 'b'), { recursive: true });
  await assert.rejects(findIndex(join(folder, 'a')), {
    message: /^could not find srv reference file in path .* or parents: file does not exist; /,
  });
  writeFileSync(join(folder, '.lakefs_ref.yaml'), 'src: lakefs://repo/old/\nat_head: abc\nactive_operation: ""\n');
  assert.equal((await findIndex(join(folder, 'a', 'b'))).index.src.ref, 'old');
  await writeIndex(folder, index, 1_600_000_000_000);
  assert.deepEqual(await findIndex(join(folder, 'a')), { folder, index, syncedAt: 1_600_000_000_000 });
  assert.match(readFileSync(join(folder, '.lakefs_ref.yaml'), 'utf8'), /^src: lakefs:/);
  writeFileSync(join(folder, '.srv_ref.yaml'), '');
  await writeIndex(folder, index, 1_700_000_000_000);
  const found = await findIndex(join(folder, 'a', 'b'));
  assert.deepEqual(found, { folder, index, syncedAt: 1_700_000_000_000 });
  assert.equal(statSync(join(folder, '.srv_ref.yaml')).mode & 0o777, 0o666 & ~process.umask() & 0o644);
  assert.equal(await readIndex(join(folder, 'a')), undefined);
  writeFileSync(join(folder, 'a', '.srv_ref.yaml'), 'x'.repeat(70_000));
  await assert.rejects(readIndex(join(folder, 'a')), { message: /is damaged: it is not a file of at most 65536 bytes$/ });
});

test('the section of .gitignore', () => {
  const folderIgnored = (text: string, folder = 'd'): string => withIgnored(text, folder, '.srv_ref.yaml');
  const section = '# ignored by cli local\nd/*\n!d/.srv_ref.yaml\n# End ignored by cli local\n';
  assert.equal(folderIgnored(''), section);
  assert.equal(folderIgnored('*.o'), `*.o\n${section}`);
  assert.equal(folderIgnored(`*.o\n${section}x\n`), `*.o\n${section}x\n`, 'twice is once');
  assert.equal(
    folderIgnored('# ignored by lakectl local\ne/*\n# note\n# End ignored by lakectl local\nx\n'),
    '# ignored by cli local\ne/*\nd/*\n!d/.srv_ref.yaml\n# End ignored by cli local\nx\n',
  );
  assert.equal(
    folderIgnored('# ignored by cli local\ne/*\n\nx\n'),
    '# ignored by cli local\ne/*\nd/*\n!d/.srv_ref.yaml\n# End ignored by cli local\n\nx\n',
  );
  const patterns = {
    'data[1]': '/data\\[1\\]',
    '#tmp': '/#tmp',
    '!new': '/!new',
    'a/b*c?': '/a/b\\*c\\?',
    'a\\b': '/a\\\\b',
    'a\nb': '/a?b',
    'a#b! ': 'a#b! ',
  };
  for (const [folder, pattern] of Object.entries(patterns)) {
    const written = `# ignored by cli local\n${pattern}/*\n!${pattern}/.srv_ref.yaml\n# End ignored by cli local\n`;
    assert.equal(folderIgnored('', folder), written);
    assert.equal(folderIgnored(written, folder), written, 'twice is once');
    if (folder.includes('\n')) continue;
    const earlier = `# ignored by cli local\nd/*\n${folder}/*\n!${folder}/.srv_ref.yaml\n# End ignored by cli local\n`;
    assert.deepEqual(
      new Set(folderIgnored(earlier, folder).split('\n')),
      new Set([...written.split('\n'), 'd/*']),
      'lines of earlier versions are replaced',
    );
  }
});

test('commits of git that can be looked at', () => {
  const key = '::lakefs::github.com::url[url:ui]';
  for (const origin of ['git@github.com:me/proj.git', 'https://github.com/me/proj.git'])
    assert.deepEqual(commitUrl(origin, 'abc'), { [key]: 'https://github.com/me/proj/commit/abc' });
  assert.deepEqual(Object.values(commitUrl('git@gitlab.com:me/p.git', 'abc')), ['https://gitlab.com/me/p/-/commit/abc']);
  for (const origin of [
    '',
    'https://example.com/me/p.git',
    'https://evil/github.com/x/me/p.git',
    '/srv/git/p.git',
    'git@constructor:a/b.git',
  ])
    assert.deepEqual(commitUrl(origin, 'abc'), {}, origin);
});

test('permissions in metadata', () => {
  const permissions = { mode: 0o100644, uid: 5, gid: 6 };
  assert.equal(formatPermissions(permissions), '{"UID":5,"GID":6,"Mode":33188}');
  assert.deepEqual(readPermissions({ '::lakefs::posix-permissions': formatPermissions(permissions) }), permissions);
  for (const text of [
    '',
    '{}',
    'null',
    '[]',
    '{"UID":-1,"GID":0,"Mode":0}',
    '{"UID":0,"GID":0,"Mode":"x"}',
    '{"UID":0,"GID":1e99,"Mode":1}',
  ])
    assert.equal(readPermissions({ '::lakefs::posix-permissions': text }), undefined, text);
  const other = { mode: 0o100644, uid: 7, gid: 8 };
  assert.ok(samePermissions(permissions, other, { enabled: true, uid: false, gid: false }));
  assert.ok(!samePermissions(permissions, other, { enabled: true, uid: true, gid: false }));
  assert.ok(!samePermissions(permissions, other, { enabled: true, uid: false, gid: true }));
  const file = join(scratchFolder(), 'f');
  writeFileSync(file, '');
  assert.equal(statSync(file).mode, defaultPermissions(false).mode);
  chmodSync(file, 0o600);
  utimesSync(file, 1, 1);
  for (const [text, seconds] of [
    ['5', 5],
    ['-5', -5],
    ['x', undefined],
    ['', undefined],
    ['1.5', undefined],
  ] as const)
    assert.equal(clientMtime({ '::lakefs::client-mtime': text }), seconds);
});

test('texts', () => {
  assert.equal(statusTable([], plain), 'No diff found.');
  assert.equal(
    statusTable(
      [
        { path: 'test.txt', source: 'local', change: 'added' },
        { path: 'a\n\u{1b}[2J', source: 'remote', change: 'conflict' },
      ],
      plain,
    ),
    [
      '╔════════╦══════════╦══════════════╗',
      '║ SOURCE ║ CHANGE   ║ PATH         ║',
      '╠════════╬══════════╬══════════════╣',
      '║ local  ║ added    ║ test.txt     ║',
      '║ remote ║ conflict ║ a\\x0a\\x1b[2J ║',
      '╚════════╩══════════╩══════════════╝',
    ].join('\n'),
  );
  assert.equal(printable('plain ü \u{1f600}'), 'plain ü \u{1f600}');
  const none = { id: 'c', directory: 'd', uri: 'u', downloaded: 0, uploaded: 0, removed: 0 };
  assert.equal(summary('Pull', none, plain), '\nPull Summary:\n\nNo changes');
  assert.equal(summary('Pull', { ...none, removed: 2 }, plain), '\nPull Summary:\n\nDownloaded: 0\nUploaded: 0\nRemoved: 2\n');
});
