/** The scripts of the chapter "Batches" of the README. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { packageFolder } from './fixture.js';
import { run, startServer } from './programs.js';
import type { Ended, RunningServer } from './programs.js';

const readme = readFileSync(join(packageFolder, 'README.md'), 'utf8');

describe('batches', () => {
  const work = scratchFolder();
  let server: RunningServer;

  const cli = (...args: readonly string[]): Promise<Ended> =>
    run('cli', args, server.home, {
      cwd: work,
      env: { CLI_CONFIG_FILE: join(server.home, 'srv', 'cli.yaml'), CLI_SERVER_ENDPOINT_URL: server.url },
    });
  const ok = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await cli(...args);
    assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  };

  before(async () => {
    server = await startServer();
    const scripts = [...readme.matchAll(/^`([\w-]+\.srv)`: [^\n]*\n\n```srv\n([\s\S]*?)^```$/gm)];
    assert.equal(scripts.length, 5);
    for (const [, name = '', text = ''] of scripts) writeFileSync(join(work, name), text);
    mkdirSync(join(work, 'in', 'deep'), { recursive: true });
    writeFileSync(join(work, 'in', 'a.csv'), 'a\n');
    writeFileSync(join(work, 'in', 'deep', 'it is b.csv'), 'b\n');
    await ok('repo', 'create', 'srv://lake', 'local://lake');
    await ok('repo', 'create', 'srv://other', 'local://other');
  });
  after(() => server?.remove());

  const paths = async (uri: string): Promise<string[]> =>
    (JSON.parse(await ok('fs', 'ls', '-r', uri, '-o', 'json')) as { path: string }[]).map(({ path }) => path);

  test('nightly: a good load is merged, a bad one leaves nothing', async () => {
    await ok('run', 'nightly.srv', 'lake', 'in');
    assert.deepEqual(await paths('srv://lake/main/'), ['data/a.csv', 'data/deep/it is b.csv']);
    mkdirSync(join(work, 'bad'));
    writeFileSync(join(work, 'bad', 'empty.csv'), '');
    const bad = await cli('run', 'nightly.srv', 'lake', 'bad');
    assert.equal(bad.code, 1);
    assert.match(bad.stderr, /^empty files: data\/empty\.csv\n[\s\S]*nightly\.srv:9:\d+: failed/);
    assert.deepEqual(await paths('srv://lake/main/'), ['data/a.csv', 'data/deep/it is b.csv']);
    assert.equal(await ok('branch', 'list', 'srv://lake', '-o', 'name'), 'main\n');
  });

  test('old branches: those of the prefix that are old enough are deleted', async () => {
    for (const name of ['old-1', 'old-2', 'keep']) await ok('branch', 'create', `srv://lake/${name}`, '-s', 'srv://lake/main');
    assert.equal(await ok('run', 'old-branches.srv', 'lake', 'old-', '1'), 'deleted 0 branches\n');
    assert.equal(await ok('run', 'old-branches.srv', 'lake', 'old-', '-1'), 'deleted 2 branches\n');
    assert.equal(await ok('branch', 'list', 'srv://lake', '-o', 'name'), 'keep\nmain\n');
  });

  test('copy folder: the objects are in the other repository, committed', async () => {
    const printed = await ok('run', 'copy-folder.srv', 'srv://lake/main/data/', 'srv://other/main/copy/');
    assert.match(printed, /copied 2 objects\n$/);
    assert.deepEqual(await paths('srv://other/main/'), ['copy/a.csv', 'copy/deep/it is b.csv']);
    assert.equal(await ok('fs', 'cat', 'srv://other/main/copy/deep/it is b.csv'), 'b\n');
    assert.equal(await ok('diff', 'srv://other/main', '-o', 'name'), '');
  });

  test('compare tags: a table, a file, and an exit code', async () => {
    await ok('tag', 'create', 'srv://lake/v1', 'srv://lake/main');
    await ok('fs', 'upload', 'srv://lake/main/new.csv', '-s', 'in/a.csv');
    await ok('commit', 'srv://lake/main', '-m', 'new');
    await ok('tag', 'create', 'srv://lake/v2', 'srv://lake/main');
    assert.match(await ok('run', 'compare-tags.srv', 'lake', 'v1', 'v2', 'report.json'), /added +│ 1/);
    assert.deepEqual(
      (JSON.parse(readFileSync(join(work, 'report.json'), 'utf8')) as { path: string }[]).map(({ path }) => path),
      ['new.csv'],
    );
    assert.equal((await cli('run', 'compare-tags.srv', 'lake', 'v2', 'v1', 'report.json')).code, 10);
  });

  test('upload many: everything is committed, or the failures are listed', async () => {
    await ok('run', 'upload-many.srv', 'srv://other/main/up/', 'in');
    assert.deepEqual(await paths('srv://other/main/up/'), ['up/a.csv', 'up/deep/it is b.csv']);
    assert.match(await ok('log', 'srv://other/main', '--amount', '1'), /uploaded 2 files/);
    const failed = await cli('run', 'upload-many.srv', 'srv://other/nowhere/up/', 'in');
    assert.equal(failed.code, 3);
    assert.match(failed.stderr, /^2 of 2 items failed:\n {2}1 a\.csv: .*\n {2}2 deep\/it is b\.csv: /m);
  });

  test('each says what it would change', async () => {
    const dry = await cli('run', '--dry-run', 'upload-many.srv', 'srv://other/main/dry/', 'in');
    assert.match(dry.stdout, /^would call: uploadObject \{.*"path":"dry\/a\.csv"/m);
    assert.deepEqual(await paths('srv://other/main/dry/'), []);
  });
});
