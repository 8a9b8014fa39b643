import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { needsProgram, scratchFolder } from '@srv/kernel/testing';
import { installPackages } from '../installed-packages.js';
import { FileResult } from '../test-runner/file-result.js';
import { ImportGraph } from '../test-runner/import-graph.js';
import { fileReport, skipReport } from '../test-runner/report.js';
import { filesWithServers } from '../test-runner/server-packages.js';
import { withWorkspace, writeTree } from './workspace.js';

/** A folder with a package to install. @param locked what its lock file lists. */
function folderWith(name: string, version: string, locked: object): string {
  const folder = scratchFolder();
  const dependencies = { [name]: version };
  writeTree(folder, {
    'package.json': JSON.stringify({ name: 'x', private: true, dependencies }),
    'package-lock.json': JSON.stringify({
      name: 'x',
      lockfileVersion: 3,
      packages: { '': { name: 'x', dependencies }, ...locked },
    }),
    'local/package.json': '{"name":"local","version":"1.0.0"}',
    // A registry that does not answer.
    '.npmrc': `registry=http://127.0.0.1:1/\ncache=${join(folder, 'cache')}\n`,
  });
  return folder;
}

test('packages are installed once, and again when they are gone', { skip: needsProgram('npm') }, async () => {
  const folder = folderWith('local', 'file:local', {
    local: { version: '1.0.0' },
    'node_modules/local': { resolved: 'local', link: true },
  });
  const said: string[] = [];
  const install = () => installPackages({ title: 'the tools', folder }, text => said.push(text));
  assert.equal(await install(), undefined);
  assert.match(said.join(''), /^installing the tools into .*: 2 packages, once\ninstalled after \d+ s\n$/);
  assert.equal(await install(), undefined);
  assert.equal(said.length, 2, 'they were there');
  rmSync(join(folder, 'node_modules'), { recursive: true });
  assert.equal(await install(), undefined);
  assert.equal(said.length, 4);
});

test('offline, the reason is printed', { skip: needsProgram('npm') }, async () => {
  const folder = folderWith('no-such-package-here', '1.0.0', { 'node_modules/no-such-package-here': { version: '1.0.0' } });
  const said: string[] = [];
  const complaint = await installPackages({ title: 'the tools', folder }, text => said.push(text));
  assert.match(complaint ?? '', /^ {2}npm error .*ECONNREFUSED/s);
  assert.match(said.join(''), /^installing the tools .*\nthe tools cannot be installed:\n {2}npm error .*ECONNREFUSED/s);
});

test('a file that is not run is reported as skipped', () => {
  const result = FileResult.skipped('test/a.long.test.ts', 'needs a server');
  assert.match(fileReport(result), /^ok {3}test\/a\.long\.test\.ts {2}0 passed, 1 skipped/);
  assert.match(skipReport([result]), /test\/a\.long\.test\.ts: the whole file: needs a server/);
});

test('files that load packages of servers are known by their imports', () => {
  const packages = {
    'plugins/x': { layer: 'ground', plugin: true, files: { 'test/a.test.ts': "import '@srv/servers/azure';", 'test/b.test.ts': '' } },
    'test/servers': {
      layer: 'tools',
      exports: { './azure': './dist/src/azure.js' },
      files: { 'src/azure.ts': "import { loadPackage } from './packages.js';", 'src/packages.ts': '' },
    },
  };
  withWorkspace(packages, root => {
    const files = ['plugins/x/test/a.test.ts', 'plugins/x/test/b.test.ts'].map(source => ({ source, compiled: '' }));
    assert.deepEqual(
      filesWithServers(files, ImportGraph.read(root)).map(({ source }) => source),
      ['plugins/x/test/a.test.ts'],
    );
  });
});
