import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { FileResult } from '../test-runner/file-result.js';
import { groupFiles, runsAlone } from '../test-runner/groups.js';
import { isLong, leftOutReport, selectTests, shardOf } from '../test-runner/selection.js';
import { testFiles } from '../test-runner/test-files.js';
import { budgetReport } from '../test-runner/time-report.js';
import { withWorkspace, writeTree } from './workspace.js';
import type { Selection } from '../test-runner/selection.js';
import type { TestFile } from '../test-runner/test-files.js';

/** Runs files in a process of its own: node's test runs do not nest. */
function runReport(
  files: Record<string, string>,
  env: Readonly<Record<string, string>> = {},
  timeout = 60_000,
): { status: number | null; text: string } {
  const folder = scratchFolder();
  const modules = join(import.meta.dirname, '..', 'test-runner');
  const program = `
    import { runFiles } from ${JSON.stringify(join(modules, 'run-file.js'))};
    import { prepareFolders } from ${JSON.stringify(join(modules, 'folders.js'))};
    import { closingReport, fileReport, skipReport } from ${JSON.stringify(join(modules, 'report.js'))};
    import { timeReport } from ${JSON.stringify(join(modules, 'time-report.js'))};
    prepareFolders(${JSON.stringify(folder)});
    const files = process.argv.slice(2).map(source => ({ source, compiled: ${JSON.stringify(`${folder}/`)} + source }));
    const groups = process.env.GROUPED ? [files] : files.map(file => [file]);
    const results = (await Promise.all(groups.map(group => runFiles(group, ${timeout})))).flat();
    process.stdout.write(results.map(fileReport).join('') + skipReport(results) + timeReport(results) + closingReport(results, 0));
    process.exit(results.filter(result => result.failed).length);`;
  writeTree(folder, { ...files, 'run.mjs': program });
  const { NODE_TEST_CONTEXT: _, SRV_TEST_FOLDER: __, ...others } = process.env;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(folder, 'run.mjs'), ...Object.keys(files).filter(name => name !== 'shared.mjs' && !name.endsWith('.map'))],
    { encoding: 'utf8', env: { ...others, ...env } },
  );
  return { status, text: stdout + stderr };
}

test('passing files take one line; failures come in full with what the file printed', () => {
  const { status, text } = runReport({
    'good.mjs': "import { describe, it } from 'node:test'; describe('s', () => { it('a', () => {}); it('b', () => {}); });",
    'bad.mjs': `import { describe, it } from 'node:test'; import assert from 'node:assert';
      console.log('seed 42');
      describe('outer', () => { it('inner', () => assert.equal(1, 2, 'one is not two')); it('fine', () => {}); });`,
    'shared.mjs': "import { test } from 'node:test'; export const suite = () => test('of a suite', () => {});",
    'skips.mjs':
      "import { suite } from './shared.mjs'; suite(); import { test } from 'node:test'; test('wants', { skip: 'needs a dragon' }, () => {}); test('b', () => {});",
  });
  assert.equal(status, 1, text);
  assert.match(text, /^ok {3}good\.mjs {2}2 passed {2}[\d.]+ s, [\d.]+ s of processors\nFAIL bad\.mjs {2}1 passed, 1 failed /);
  assert.match(text, / {2}x outer > inner\n {4}bad\.mjs\n {4}AssertionError.*one is not two/);
  assert.match(text, /what the file printed:\n {4}seed 42/);
  assert.match(text, /ok {3}skips\.mjs {2}2 passed, 1 skipped/);
  assert.match(text, /Skipped:\n {2}skips\.mjs: wants: needs a dragon\n/);
  assert.match(text, /# tests 7\n.*# pass 5\n# fail 1\n.*# skipped 1/s);
});

test('a failure names the line of the source', () => {
  const { status, text } = runReport({
    'bad.js': "// compiled\nimport('node:test').then(({ test }) => test('a', () => { throw new Error('wrong'); }));",
    'bad.js.map': JSON.stringify({ version: 3, sources: ['../bad.ts'], names: [], mappings: ';AAqBY' }),
  });
  assert.equal(status, 1, text);
  assert.match(text, /Error: wrong\n +at \S* ?\(?\S*bad\.ts:22:13/);
});

test('a file in which Node.js itself aborts is run once more, which the report says; another abort fails', () => {
  const aborts = (text: string, times: number): string => `import { appendFileSync, readFileSync } from 'node:fs';
      import { test } from 'node:test';
      const runs = import.meta.filename + '.runs';
      appendFileSync(runs, '.');
      test('a', () => {
        if (readFileSync(runs).length > ${times}) return;
        process.stderr.write(${JSON.stringify(text)});
        process.abort();
      });`;
  const fault =
    '  #  node[1]: X at ../src/node_platform.cc:560\n  #  Assertion failed: (data.first) != nullptr\n\n----- Native stack trace -----\n';
  const { status, text } = runReport({
    'once.mjs': aborts(fault, 1),
    'twice.mjs': aborts(fault, 2),
    'other.mjs': aborts('Assertion failed: something else', 1),
  });
  assert.equal(status, 2, text);
  assert.match(
    text,
    /ok {3}once\.mjs .*\n {5}repeated, since Node\.js itself aborted: node_platform\.cc:560 # Assertion failed: \(data\.first\) != nullptr\n/,
  );
  assert.match(text, /FAIL twice\.mjs .*\n {5}repeated/);
  assert.match(text, /FAIL other\.mjs .*\n\n/);
});

test('a file that breaks, ends its process, hangs or tests nothing fails', () => {
  const { status, text } = runReport(
    {
      'breaks.mjs': "throw new Error('cannot load');",
      'exits.mjs': "import { test } from 'node:test'; test('a', () => { setTimeout(() => process.exit(3), 20); });",
      'hangs.mjs': "import { test } from 'node:test'; test('a', () => { setInterval(() => {}, 1000); });",
      'nothing.mjs': 'export {};',
    },
    {},
    5000,
  );
  assert.equal(status, 4, text);
  assert.match(
    text,
    /FAIL breaks\.mjs.*cannot load.*FAIL exits\.mjs.*FAIL hangs\.mjs.*timed out after 5000ms.*FAIL nothing\.mjs.*declares no test/s,
  );
});

test('errors in callbacks belong to the test that started them, as do tests declared after waiting; promises are not followed', () => {
  const { status, text } = runReport({
    'callbacks.mjs': `import { test } from 'node:test'; import { readFile } from 'node:fs'; import { createServer, get } from 'node:http';
      const long = 20_000;
      test('timer', async t => { setTimeout(() => { throw new Error('of the timer'); }, 5); await new Promise(r => setTimeout(r, long).unref()); });
      test('file', async () => { readFile('/', () => { throw new Error('of the file'); }); await new Promise(r => setTimeout(r, long).unref()); });
      test('rejection', async () => { setTimeout(() => void Promise.reject(new Error('of nothing')), 5); await new Promise(r => setTimeout(r, long).unref()); });
      test('request', async t => {
        const server = createServer(() => { throw new Error('of the server'); }).listen(0, '127.0.0.1', () => get({ port: server.address().port }).on('error', () => {}));
        t.after(() => { server.closeAllConnections(); server.close(); });
        await new Promise(r => setTimeout(r, long).unref());
      });
      test('fine', () => {});`,
    'later.mjs': `import { before, describe, it } from 'node:test';
      describe('outer', async () => {
        await new Promise(resolve => setTimeout(resolve, 5));
        let isReady = false; before(async () => { isReady = true; });
        describe('inner', () => { it('bad', async () => { if (isReady) throw new Error('as expected'); }); });
      });`,
    // Node.js 20 keeps contexts by hooks, too.
    'unfollowed.mjs': `import { test } from 'node:test'; import { executionAsyncId } from 'node:async_hooks';
      test('a', async () => {
        await 1;
        const first = executionAsyncId();
        await 2;
        if (executionAsyncId() !== first && Number.parseInt(process.versions.node) >= 24) throw new Error('followed');
      });`,
  });
  assert.equal(status, 2, text);
  assert.match(text, /FAIL callbacks\.mjs {2}1 passed, 4 failed/);
  for (const place of ['timer', 'file', 'rejection', 'request']) assert.match(text, new RegExp(` {2}x ${place}\\n`));
  assert.match(text, /FAIL later\.mjs {2}0 passed, 1 failed.*x outer > inner > bad.*as expected/s);
  assert.match(text, /ok {3}unfollowed\.mjs {2}1 passed/);
});

test('files of a group share a process, and each is reported as if it had one of its own', () => {
  const { status, text } = runReport(
    {
      'first.mjs': `import { after, before, describe, it, test } from 'node:test'; import assert from 'node:assert'; import { pid } from './shared.mjs';
        let isOpen = false; before(() => { isOpen = true; }); after(() => { globalThis.firstEnded = true; });
        console.log('seed 1');
        describe('suite', () => { it('inner', () => assert.ok(isOpen)); it('bad', () => assert.equal(1, 2, 'one is not two')); });
        test('same process', () => assert.equal(pid, process.pid));`,
      'breaks.mjs': "throw new Error('cannot load');",
      'nothing.mjs': 'export {};',
      'waits.mjs': `await new Promise(resolve => setTimeout(resolve, 20)); const { test } = await import('node:test'); const { pid } = await import('./shared.mjs');
        test('after the first', { skip: !globalThis.firstEnded && 'too early' }, () => { if (pid !== process.pid) throw new Error(); });`,
      'shared.mjs': 'export const pid = process.pid;',
      // Reports on their way when a process ends are lost: not those of the file before.
      'exits.mjs':
        "import { test } from 'node:test'; test('a', () => {}); test('b', () => new Promise(() => setTimeout(() => process.exit(3), 100)));",
      'late.mjs': "import { test } from 'node:test'; test('never run', () => {});",
    },
    { GROUPED: '1' },
  );
  assert.equal(status, 5, text);
  assert.match(text, /^FAIL first\.mjs {2}2 passed, 1 failed .*\n\n {2}x suite > bad\n {4}first\.mjs\n {4}AssertionError.*one is not two/);
  assert.match(text, /what the file printed:\n {4}seed 1/);
  assert.match(text, /FAIL breaks\.mjs.*cannot load.*FAIL nothing\.mjs.*declares no test.*ok {3}waits\.mjs {2}1 passed {2}/s);
  assert.match(text, /FAIL exits\.mjs.*FAIL late\.mjs/s);
});

test('files of a package are grouped, but for long ones and those that change or measure their process', () => {
  withWorkspace(
    {
      kernel: { layer: 'kernel', files: { 'test/a.test.ts': '', 'test/deep/b.test.ts': '', 'test/c.long.test.ts': '' } },
      'plugins/x': { layer: 'ground', files: { 'test/d.test.ts': '', 'test/e.test.ts': "process.env['A'] = 'b';" } },
    },
    root => {
      const files = ['kernel/test/a', 'plugins/x/test/d', 'kernel/test/c.long', 'plugins/x/test/e', 'kernel/test/deep/b'];
      const groups = groupFiles(
        root,
        files.map(name => ({ source: `${name}.test.ts`, compiled: '' })),
      );
      assert.deepEqual(
        groups.map(group => group.map(({ source }) => source.replace('.test.ts', ''))),
        [['kernel/test/c.long'], ['kernel/test/a', 'plugins/x/test/d', 'kernel/test/deep/b'], ['plugins/x/test/e']],
      );
    },
  );
  for (const text of ['process.env.A = "b"', 'delete process.env["A"]', 'process.chdir("/")', 'await heldBytes()', 'globalThis.fetch = x'])
    assert.ok(runsAlone(text), text);
  for (const text of ['process.env.A === "b"', 'process.env["A"]', 'process.execPath', 'process.pid', 'globalThis.fetch === x'])
    assert.ok(!runsAlone(text), text);
});

test('a file that prints a secret of the tests fails', () => {
  const { status, text } = runReport({
    'leaks.mjs': "import { test } from 'node:test'; test('a', () => console.log('key: another secret for tests'));",
    'quiet.mjs': "import { test } from 'node:test'; test('a', () => console.log('key: ******'));",
  });
  assert.equal(status, 1, text);
  assert.match(text, /FAIL leaks\.mjs.*the file printed a secret: key: another secret for tests/s);
});

test('test files come from the sources; output without source is left alone', () => {
  const packages = {
    kernel: {
      layer: 'kernel',
      files: { 'test/a.test.ts': '', 'dist/test/a.test.js': '', 'dist/test/gone.test.js': '', 'test/support.ts': '' },
    },
    'plugins/x': { layer: 'ground', files: { 'test/deep/b.test.ts': '', 'dist/test/deep/b.test.js': '' } },
  };
  const rootFiles = { 'test/c.test.ts': '', 'test/dist/c.test.js': '' };
  withWorkspace(
    packages,
    root => {
      assert.deepEqual(
        testFiles(root).map(({ source, compiled }) => [source, compiled.slice(root.length + 1)]),
        [
          ['test/c.test.ts', 'test/dist/c.test.js'],
          ['kernel/test/a.test.ts', 'kernel/dist/test/a.test.js'],
          ['plugins/x/test/deep/b.test.ts', 'plugins/x/dist/test/deep/b.test.js'],
        ],
      );
      assert.deepEqual(
        testFiles(root, ['plugins/', 'no such file']).map(({ source }) => source),
        ['plugins/x/test/deep/b.test.ts'],
      );
      writeTree(root, { 'cli/package.json': '{}', 'cli/test/new.test.ts': '' });
      assert.throws(() => testFiles(root), /not compiled: cli\/test\/new\.test\.ts; run tsc -b/);
    },
    rootFiles,
  );
});

test('a file that leaves something in its temporary folder fails, and nothing stays', () => {
  const folder = scratchFolder();
  const leaves = (name: string): string =>
    `import { test } from 'node:test'; import { tmpdir } from 'node:os'; import { join } from 'node:path'; import { mkdirSync, rmSync } from 'node:fs';
     test('a', () => { mkdirSync(join(tmpdir(), '${name}')); });`;
  const { status, text } = runReport(
    {
      'leaves.mjs': leaves('left'),
      'removes.mjs': `${leaves('removed')} test('b', () => rmSync(join(tmpdir(), 'removed'), { recursive: true }));`,
    },
    { TMPDIR: folder },
  );
  assert.equal(status, 1, text);
  assert.match(text, /FAIL leaves\.mjs {2}1 passed, 1 failed/);
  assert.match(text, /the test file left these in its temporary folder: left\n/);
  const grouped = runReport(
    { 'leaves.mjs': leaves('left'), 'last.mjs': "import { test } from 'node:test'; test('a', () => {});" },
    { GROUPED: '1' },
  );
  assert.match(grouped.text, /FAIL last\.mjs.*left these in its temporary folder: left\n/s);
  assert.match(text, /ok {3}removes\.mjs {2}2 passed/);
  assert.deepEqual(readdirSync(folder), []);
});

test('long files are left out unless all are wanted or no others match, and the report says how to run them', () => {
  const file = (source: string): TestFile => ({ source, compiled: `/${source}` });
  const [quick, long] = [file('plugins/x/test/a.test.ts'), file('plugins/x/test/a.long.test.ts')];
  const ofOtherShards: readonly TestFile[] = [];
  assert.deepEqual(selectTests([quick, long], { all: false }), { files: [quick], leftOut: [long], ofOtherShards });
  assert.deepEqual(selectTests([quick, long], { all: true }), { files: [long, quick], leftOut: [], ofOtherShards });
  assert.deepEqual(selectTests([long], { all: false }), { files: [long], leftOut: [], ofOtherShards });
  const other = { ...long, source: 'other.long.test.ts' };
  const selected = selectTests([quick, long, other], { all: false, with: ['other'] });
  assert.deepEqual(selected, { files: [other, quick], leftOut: [long], ofOtherShards });
  const report = (leftOut: readonly TestFile[], only: readonly string[], changed = false): string =>
    leftOutReport({ leftOut, ofOtherShards }, { only, changed });
  assert.equal(report([], ['']), '');
  assert.match(report([long], ['']), /Left out: 1 long test file .*: npm run test:all\n/);
  assert.match(report([long, long], ['plugins/x', 'cli']), /2 long test files .*: npm run test:all -- --only plugins\/x --only cli\n/);
  assert.match(report([long], [''], true), /: npm run test:all -- --changed\n/);
});

test('a shard is a part of the long files and of the others: together they run each once, and the report counts those of others', () => {
  const named = (name: string): TestFile => ({ source: `plugins/x/test/${name}.test.ts`, compiled: `/${name}` });
  const quick = ['a', 'b', 'c', 'd', 'e'].map(named);
  const long = ['a.long', 'b.long', 'c.long', 'd.long'].map(named);
  const select = (options: Parameters<typeof selectTests>[1]): Selection[] =>
    ['1/3', '2/3', '3/3'].map(text => selectTests([...quick, ...long], { ...options, shard: shardOf(text) }));
  const counts = ({ files, leftOut, ofOtherShards }: Selection): string =>
    `${files.filter(isLong).length}, ${files.length}; ${leftOut.length}, ${ofOtherShards.length}`;

  const shards = select({ all: true });
  const run = shards.flatMap(({ files }) => files);
  assert.deepEqual(new Set(run), new Set([...quick, ...long]));
  assert.equal(run.length, quick.length + long.length);
  assert.deepEqual(shards.map(counts), ['2, 4; 0, 5', '1, 3; 0, 6', '1, 2; 0, 7']);
  // Those that are named run in each.
  assert.deepEqual(select({ all: false, with: ['b.long'] }).map(counts), ['1, 3; 3, 3', '1, 3; 3, 3', '1, 2; 3, 4']);
  assert.equal(leftOutReport(shards[0] ?? assert.fail(), { only: [''], changed: false }), '\nLeft out: 5 test files of other shards.\n');
  for (const wrong of ['0/3', '4/3', '1', '1/0', '-1/2', '1/3x'])
    assert.throws(() => shardOf(wrong), { message: new RegExp(`^--shard ${wrong}: `) });
});

test('a file reports its processor time, and what its time went into; the runner sums up and names what takes too much', () => {
  const spending = `import { test } from 'node:test'; import { setTimeout as sleep } from 'node:timers/promises'; import { execFileSync } from 'node:child_process';
    import { spent } from ${JSON.stringify(import.meta.resolve('@srv/kernel/testing'))};
    test('a', async () => {
      await Promise.all([sleep(300), sleep(250)]);
      await spent('servers', () => new Promise(resolve => setTimeout(resolve, 400)));
      execFileSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 500000);']);
    });`;
  const { status, text } = runReport({ 'spends.mjs': spending });
  assert.equal(status, 0, text);
  const [, processor = '', servers = '', waiting = ''] =
    /Altogether: [\d.]+ s in files, ([\d.]+) s of processors, ([\d.]+) s starting servers, 0\.0 s building, ([\d.]+) s waiting/.exec(
      text,
    ) ?? [];
  assert.ok(Number(processor) >= 0.5 || process.platform !== 'linux', `${processor}: the child process counts`);
  assert.ok(Number(servers) >= 0.3 && Number(waiting) >= 0.2, text);
  assert.match(text, /Slowest files \(time, processor time\):\n +[\d.]+ s +[\d.]+ s {2}spends\.mjs\n/);

  const taking = (source: string, processor: number): FileResult =>
    Object.assign(new FileResult(source), { usage: { processor, spent: { servers: 0, building: 0, waiting: 0 } } });
  assert.equal(budgetReport([taking('a.long.test.ts', 100), taking('b.test.ts', 9)]), '');
  assert.match(budgetReport([taking('b.test.ts', 16), taking('c.test.ts', 1)]), /the 10 s that a file .*:\n {2}b\.test\.ts: 16\.0 s\n$/);
  // Slow as the machine is, the file takes no larger share than others.
  assert.equal(budgetReport([taking('b.test.ts', 16), ...Array.from({ length: 60 }, (_, i) => taking(`${i}.test.ts`, 8))]), '');
});
