import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { makeFolder, makeFolderSync } from '../src/folders.js';

const module = new URL('../src/folders.js', import.meta.url).href;

describe('folders', () => {
  let base: string;
  before(async () => {
    base = await mkdtemp(join(tmpdir(), 'srv-folders-'));
  });
  after(() => rm(base, { recursive: true }));

  it('are made with those above them, and stay if they exist', async () => {
    assert.equal(await makeFolder(join(base, 'a', 'b', 'c'), 0o700), join(base, 'a'));
    assert.equal(await makeFolder(join(base, 'a', 'b', 'd')), join(base, 'a', 'b', 'd'));
    assert.equal(await makeFolder(join(base, 'a', 'b', 'c')), undefined);
    makeFolderSync(join(base, 's', 't'), 0o700);
    makeFolderSync(join(base, 's', 't'));
    for (const made of ['a', 'a/b/c', 's', 's/t']) assert.equal((await stat(join(base, made))).mode & 0o777, 0o700, made);
    await Promise.all(Array.from({ length: 5 }, () => makeFolder(join(base, 'at', 'once'))));
  });

  it('are not made below or in place of a file', async () => {
    await writeFile(join(base, 'file'), '');
    for (const [path, code] of [
      [join(base, 'file'), 'EEXIST'],
      [join(base, 'file', 'x', 'y'), 'EEXIST'],
      ['', 'ENOENT'],
    ] as const) {
      await assert.rejects(makeFolder(path), { code });
      assert.throws(() => makeFolderSync(path), { code });
    }
  });

  it('which the file system refuses as missing are an error at once', { skip: process.platform !== 'linux' }, async () => {
    for (const name of ['makeFolder', 'makeFolderSync']) {
      const script = `import { ${name} as make } from ${JSON.stringify(module)}; await make('/proc/srv/cache')`;
      const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { timeout: 10_000, killSignal: 'SIGKILL' });
      await assert.rejects(run, { killed: false, stderr: /ENOENT.*'\/proc\/srv'/ }, name);
    }
  });
});
