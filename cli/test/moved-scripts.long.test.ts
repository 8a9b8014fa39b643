/** What scripts for lakectl read, as the table of the README says. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { run, startServer } from './programs.js';
import type { AddressInfo } from 'node:net';
import type { Ended, RunningServer } from './programs.js';

const id = '[0-9a-f]{64}';
const date = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [-+]\d{4} \w{1,4}`;

/** Lines of an output, each a pattern. */
function assertLines(output: string, lines: readonly string[]): void {
  assert.match(output, new RegExp(`^${lines.map(line => `${line}\n`).join('')}$`));
}

describe('scripts for lakectl', () => {
  const work = scratchFolder();
  let server: RunningServer;

  const cli = (...args: readonly string[]): Promise<Ended> =>
    run('cli', args, server.home, { cwd: work, env: { CLI_CONFIG_FILE: join(server.home, 'srv', 'cli.yaml'), TZ: 'UTC' } });
  const ok = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await cli(...args);
    assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  };

  before(async () => {
    mkdirSync(join(work, 'outside'));
    for (const name of ['a', 'b']) writeFileSync(join(work, 'outside', name), name);
    server = await startServer(undefined, ['--local-settings'], {
      SRV_BLOCKSTORE_LOCAL_IMPORT_ENABLED: 'true',
      SRV_BLOCKSTORE_LOCAL_ALLOWED_EXTERNAL_PREFIXES: work,
    });
    const said = await ok('repo', 'create', 'srv://lakes', 'local://lakes', '--sample-data');
    assertLines(said, [
      'Repository: srv://lakes',
      "Repository 'lakes' created:",
      'storage namespace: local://lakes',
      'default branch: main',
      'timestamp: \\d{10}',
      'sample data included',
    ]);
  });
  after(() => server?.remove());

  test('import has a title with count and branch; --merge has no effect and says so', async () => {
    await ok('branch', 'create', 'srv://lakes/in', '-s', 'srv://lakes/main');
    const from = ['--from', `local://${work}/outside/`, '--to', 'srv://lakes/in/x/', '-m', 'take'];
    const { code, stdout, stderr } = await cli('import', '--merge', ...from, '--no-progress');
    assert.equal(code, 0, stderr);
    assert.equal(stderr, 'Warning: --merge has no effect: an import always ends with a commit on its branch\n');
    assertLines(stdout, [
      String.raw`Import of 2 object\(s\) into "in" completed\.`,
      `MetaRange ID: ${id}`,
      `Commit ID: ${id}`,
      'Message: take',
      `Timestamp: ${date}`,
      `Parents: ${id}`,
    ]);
    assert.ok(!(await ok('import', '--help')).includes('--merge'));
  });

  test('merge quotes what it names; the log of a merge has both parents, and an empty line before and after each entry', async () => {
    await ok('branch', 'create', 'srv://lakes/side', '-s', 'srv://lakes/main');
    await ok('fs', 'upload', 'srv://lakes/side/one', '-s', join(work, 'outside', 'a'));
    await ok('commit', 'srv://lakes/side', '-m', 'one more');
    assertLines(await ok('merge', 'srv://lakes/side', 'srv://lakes/main', '-m', 'together'), [
      'Source: srv://lakes/side',
      'Destination: srv://lakes/main',
      `Merged "side" into "main" to get "${id}"\\.`,
    ]);
    const entry = (message: string, ...more: readonly string[]): string[] => [
      '',
      `ID:            ${id}`,
      'Author:        admin',
      `Date:          ${date}`,
      ...more,
      '',
      `\t${message}`,
      '',
    ];
    const log = await ok('log', 'srv://lakes/main', '--amount', '2');
    const [first = '', second = ''] = log.split(/(?<=\n\n)(?=\nID:)/);
    assertLines(
      first.replace('\n\nMetadata:\n\t.lakefs.merge.strategy = default', '\n'),
      entry('together', `Merge:         ${id}, ${id}`).slice(0, -1).concat('', ''),
    );
    assertLines(second, entry('one more'));
  });

  test('tag create, tag show and identity have one line per fact', async () => {
    assertLines(await ok('tag', 'create', 'srv://lakes/v1', 'srv://lakes/main'), [
      'Tag ref: srv://lakes/v1',
      `Created tag 'v1' \\(${id}\\)`,
    ]);
    assertLines(await ok('tag', 'show', 'srv://lakes/v1'), ['Tag: srv://lakes/v1', `v1 ${id}`]);
    assertLines(await ok('identity'), ['User ID: admin', 'Email: ', `Creation Date: ${date}`]);
  });

  test('usage summary has a title, an empty line and columns', async () => {
    const [title, empty, ...rows] = (await ok('usage', 'summary')).trimEnd().split('\n');
    assert.match(title ?? '', /^Usage for installation ID: [\w-]+$/);
    assert.equal(empty ?? '', '');
    for (const row of rows) assert.match(row, /^\d{4}\t\d{1,2}\t\d+$/);
  });

  test('bisect tests the middle commit that it shows, and views what remains', async () => {
    const ids: string[] = [];
    for (const name of ['1', '2', '3', '4']) {
      writeFileSync(join(work, name), name);
      await ok('fs', 'upload', 'srv://lakes/side/n', '-s', name);
      ids.push((await ok('commit', 'srv://lakes/side', '-m', `n ${name}`, '-o', 'name')).trim());
    }
    const [, second = '', third = ''] = ids;
    const status = await ok('bisect', 'start', 'srv://lakes/side', 'srv://lakes/side~4');
    assert.match(status, /^Repository: srv:\/\/lakes\nBisecting: \d commits left to test after this \(roughly \d steps\)\n/);
    assert.ok(status.includes(`Commit: srv://lakes/${second}\n`), status);
    await ok('bisect', 'good');
    const view = await ok('bisect', 'view');
    assert.ok(view.includes(third) && !view.includes(second));
    assert.match(view, new RegExp(`^\nID: +${id}\nAuthor: +admin\nDate: +${date}\nMeta Range ID: ${id}\n`));
    await ok('bisect', 'reset');
  });

  test('a file that does not exist is named as in other programs', async () => {
    for (const args of [
      ['fs', 'upload', 'srv://lakes/main/x', '-s', 'missing'],
      ['gc', 'set-config', 'srv://lakes', '-f', 'missing'],
      ['actions', 'validate', 'missing'],
      ['refs-restore', 'srv://lakes', '--manifest', 'missing'],
      ['cat-sst', 'missing'],
    ])
      assert.deepEqual(await cli(...args), {
        code: 3,
        stdout: '',
        stderr: 'open missing: no such file or directory\nError executing command.\n',
      });
    const policy = await cli('auth', 'policies', 'create', '--id', 'p', '--statement-document', 'missing');
    assert.equal(policy.stderr, 'could not open policy document: open missing: no such file or directory\nError executing command.\n');
  });

  test('fs download of an object that does not exist ends with the status, and leaves no file', async () => {
    for (const flags of [[], ['--pre-sign=false']]) {
      const { code, stderr } = await cli('fs', 'download', 'srv://lakes/main/nothing', 'here', ...flags);
      assert.equal(code, 3);
      assert.equal(stderr, 'object "nothing" at ref "main": not found\n404 Not Found\n');
    }
    assert.throws(() => readFileSync(join(work, 'here')));
  });

  test('doctor says which setting is wrong, by its exit code too', async () => {
    assert.equal(await ok('doctor'), 'Valid configuration\n');
    const other = createServer((_, response) => void response.end('<html>'));
    await new Promise<void>(resolve => void other.listen(0, '127.0.0.1', resolve));
    const settings = readFileSync(join(server.home, 'srv', 'cli.yaml'), 'utf8');
    const wrong: readonly (readonly [address: string, reason: RegExp])[] = [
      [
        `${server.url}/other`,
        /^It looks like endpoint url is wrong: .*\/other\nthere is nothing at \/other\/repositories; the API is below \/api\/v1\n/,
      ],
      [`http://127.0.0.1:${(other.address() as AddressInfo).port}`, /^It looks like endpoint url is wrong: /],
    ];
    for (const [address, reason] of wrong) {
      writeFileSync(join(work, 'wrong.yaml'), settings.replace(/endpoint_url: .*/, `endpoint_url: ${address}`));
      const { code, stdout } = await cli('-c', 'wrong.yaml', 'doctor');
      assert.equal(code, 1);
      assert.match(stdout, reason);
    }
    other.close();
  });
});
