import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { needsProgram, scratchFolder } from '@srv/kernel/testing';
import { changedFiles, testsOf } from '../test-runner/changes.js';
import { ImportGraph } from '../test-runner/import-graph.js';
import { edits } from '../test-runner/watch.js';
import { withWorkspace, writeTree } from './workspace.js';

const packages = {
  kernel: {
    layer: 'kernel',
    exports: { '.': './dist/src/index.js', './testing': './dist/src/testing.js' },
    files: {
      'src/index.ts': "export * from './names.js';",
      'src/names.ts': 'export const name = 1;',
      'src/testing.ts': "import type { name } from './names.js'; new Worker(new URL('./thread.js', import.meta.url));",
      'src/thread.ts': '',
      'test/names.test.ts': "import '../src/names.js';",
    },
  },
  'plugins/x': {
    layer: 'ground',
    plugin: true,
    files: { 'src/x.tsx': "import { name } from '@srv/kernel';", 'test/x.test.ts': "import '../src/x.js';", 'README.md': '' },
  },
  'plugins/y': { layer: 'ground', plugin: true, files: { 'test/y.test.ts': "import '@srv/kernel/testing';", 'test/started.test.ts': '' } },
};
const rootFiles = { 'test/named.ts': "import '@srv/x/dist/src/x.js';", 'test/all.test.ts': "import '#named';", 'test/none.test.ts': '' };
const tests = ['test/all', 'test/none', 'kernel/test/names', 'plugins/x/test/x', 'plugins/y/test/y', 'plugins/y/test/started'];

function concerned(root: string, ...changed: readonly string[]): string[] {
  const files = tests.map(name => ({ source: `${name}.test.ts`, compiled: '' }));
  const found = testsOf(files, changed, ImportGraph.read(root), ['kernel', 'plugins/x', 'plugins/y']);
  return found.map(({ source }) => source.replace('.test.ts', ''));
}

test('the tests of a change import it through any number of files, or belong to its package', () => {
  withWorkspace(
    packages,
    root => {
      assert.deepEqual(concerned(root, 'kernel/src/names.ts'), ['test/all', 'kernel/test/names', 'plugins/x/test/x']);
      assert.deepEqual(concerned(root, 'plugins/x/src/x.tsx'), ['test/all', 'plugins/x/test/x']);
      assert.deepEqual(concerned(root, 'kernel/src/thread.ts'), ['kernel/test/names', 'plugins/y/test/y'], 'the file of a thread');
      assert.deepEqual(concerned(root, 'plugins/y/src/index.ts'), ['plugins/y/test/y', 'plugins/y/test/started'], 'started by name');
      assert.deepEqual(concerned(root, 'plugins/x/README.md'), ['plugins/x/test/x']);
      assert.deepEqual(concerned(root, 'test/named.ts'), ['test/all']);
      assert.deepEqual(concerned(root, 'package.json'), []);
    },
    rootFiles,
  );
});

test('changes are those since the branch left main, with what is not committed', { skip: needsProgram('git') }, () => {
  withWorkspace({}, root => {
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false', ...args], {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    const commit = (files: Record<string, string>): void => {
      writeTree(root, files);
      git('add', '-A');
      git('commit', '-qm', 'x');
    };
    git('init', '-qb', 'main');
    commit({ 'old.ts': '', 'kept.ts': '', '.gitignore': 'dist/' });
    git('checkout', '-qb', 'mine');
    commit({ 'committed.ts': '', 'a b.ts': '' });
    git('checkout', '-q', 'main');
    commit({ 'theirs.ts': '' });
    git('checkout', '-q', 'mine');
    assert.deepEqual(changedFiles(root, 'main').sort(), ['a b.ts', 'committed.ts']);
    appendFileSync(join(root, 'kept.ts'), '// changed');
    rmSync(join(root, 'old.ts'));
    writeTree(root, { 'new.ts': '', 'dist/new.js': '' });
    assert.deepEqual(changedFiles(root, 'main').sort(), ['a b.ts', 'committed.ts', 'kept.ts', 'new.ts', 'old.ts']);
    assert.deepEqual(changedFiles(root, 'HEAD').sort(), ['kept.ts', 'new.ts', 'old.ts']);
    assert.throws(() => changedFiles(root, 'nowhere'), /--changed: git cannot compare with nowhere: .*name a commit/s);
  });
});

test('edits of sources arrive, those of compiled files do not', async () => {
  const root = scratchFolder();
  writeTree(root, {
    'package.json': '{"workspaces":["kernel"]}',
    'kernel/package.json': '{}',
    'kernel/src/a.ts': '',
    'kernel/dist/src/a.js': '',
  });
  const stop = new AbortController();
  const batches = edits(root, stop.signal);
  const first = batches.next();
  writeTree(root, { 'kernel/dist/src/a.js': 'x', 'kernel/src/a.ts': 'y' });
  assert.deepEqual((await first).value, ['kernel/src/a.ts']);
  const last = batches.next();
  stop.abort();
  assert.equal((await last).done, true);
});
