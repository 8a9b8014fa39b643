/** The commands that READMEs show are run, or there is a reason why not. The tour of the first page has a test of its own. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { noGateway } from '@srv/test-servers/s3';
import { hasFeature } from '../feature-operations.js';
import { repositoryRoot, temporaryFolder } from '../programs.js';
import { ExampleWorld } from './world.js';

const page = (file: string): string => readFileSync(join(repositoryRoot, file), 'utf8');

/** Code blocks in the order of the text. @param language as after the backquotes; may be empty. */
function blocks(file: string, language: string): string[] {
  return [...page(file).matchAll(/^```(\w*)[^\n]*\n(.*?)^```$/gms)].flatMap(([, named, code = '']) => (named === language ? [code] : []));
}

/** Lines of a block of shell commands, without what is said of them. */
const linesOf = (block: string): string[] =>
  block
    .split('\n')
    .map(line => line.replace(/\s+# .*$/, ''))
    .filter(line => line !== '');

/** The block that begins with a line. */
function blockFrom(file: string, beginning: string): string {
  return blocks(file, '').find(block => block.startsWith(beginning)) ?? assert.fail(`${file} has no block that begins with ${beginning}`);
}

/** How the first page uses an S3 client. */
const clientBlock = (): string =>
  blocks('README.md', 'sh').find(block => block.includes('aws s3')) ?? assert.fail('no block of an S3 client');

const missingAws = spawnSync('aws', ['--version']).error !== undefined && 'needs the AWS CLI';

describe('commands of READMEs', { skip: noGateway }, () => {
  const home = temporaryFolder({ after });
  let world: ExampleWorld;
  before(async () => {
    world = await ExampleWorld.open(home);
  });
  after(() => world.close());

  async function succeeds(line: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
    const { code, stdout, stderr } = await world.run(line, { cwd, env });
    assert.equal(code, 0, `${line}\n${stdout}\n${stderr}`);
    return stdout;
  }

  it('local: linked directories', { skip: !hasFeature('local') && 'needs plugins/local' }, async () => {
    const cwd = await world.reset();
    await succeeds('rm -r images && cli branch create srv://repo/dev -s srv://repo/main', cwd);
    for (const line of linesOf(blockFrom('plugins/local/README.md', 'cli local clone'))) {
      if (line.startsWith('cli local commit')) await writeFile(join(cwd, 'images', 'new.png'), 'new');
      await succeeds(line, cwd);
    }
    assert.match(await succeeds('cli fs cat srv://repo/main/images/new.png', cwd), /^new$/);
  });

  it('cli: lines of the shell', async () => {
    const cwd = await world.reset();
    await world.change('repo', 'main');
    await writeFile(join(cwd, 'lines.srv'), blockFrom('cli/README.md', 'use srv://repo/main'));
    await succeeds('cli run lines.srv 3', cwd);
    assert.match(await succeeds('cli log srv://repo/main --amount 1', cwd), /\n\tsorted\n.*count += 3\n/s);
  });

  it('cli: a command of a plugin', async () => {
    const cwd = await world.reset();
    const [body = ''] = blocks('cli/README.md', 'js');
    await writeFile(join(cwd, 'plugin.mjs'), `export default { name: 'hello', apply(kernel) {\n${body}\n} };`);
    const manifest = { name: 'srv-hello', version: '1.0.0', keywords: ['srv-plugin'], srv: { api: 1, name: 'hello', cli: './plugin.mjs' } };
    await writeFile(join(cwd, 'package.json'), JSON.stringify(manifest));
    assert.equal(await succeeds('cli hello srv://repo', cwd, { SRV_PLUGINS_PATHS: cwd }), 'hello repo\n');
  });

  it('kernel: a new plugin', async () => {
    const cwd = await world.reset();
    const [line = '', ...more] = linesOf(blockFrom('kernel/README.md', 'srv plugin new'));
    assert.deepEqual(more, []);
    await succeeds(line, cwd);
    const [, table = ''] = /^\| File \| Holds \|\n\|[-|]+\n(.*?)\n\n/ms.exec(page('kernel/README.md')) ?? [];
    const told = [...table.matchAll(/`([\w./*]+)`/g)].map(([, path = '']) => path).filter(path => path.includes('.'));
    assert.ok(told.length >= 6, table);
    for (const path of told) await succeeds(`ls ${path}`, join(cwd, 'srv-plugin-commit-counter'));
  });

  it('the first page: programs in the text', async () => {
    const cwd = await world.reset();
    // A server that runs would not end.
    const lines = [...page('README.md').matchAll(/`((?:cli|srv) (?!run )[^`]+|cli run [^`]+)`/g)].map(([, line = '']) => line);
    assert.ok(lines.length >= 6, lines.join());
    const installation = {
      SRV_DATABASE_TYPE: 'local',
      SRV_DATABASE_LOCAL_PATH: join(cwd, 'kv'),
      SRV_BLOCKSTORE_TYPE: 'local',
      SRV_BLOCKSTORE_LOCAL_PATH: join(cwd, 'objects'),
      SRV_BLOCKSTORE_SIGNING_SECRET_KEY: 'signing-secret-of-this-test',
      SRV_AUTH_ENCRYPT_SECRET_KEY: 'encryption-secret-of-this-test',
    };
    for (const line of lines) await succeeds(line.replace('FILE', 'clean-up.srv'), cwd, installation);
  });

  it('the first page: an S3 client', { skip: missingAws }, async () => {
    const cwd = await world.reset();
    const lines = linesOf(clientBlock());
    assert.equal(lines.length, 2);
    await mkdir(join(cwd, 'pictures'));
    await writeFile(join(cwd, 'pictures', '1.txt'), 'picture 1');
    await succeeds('cli branch create srv://repo/try -s srv://repo/main', cwd);
    const settings = {
      endpoint_url: 'http://127.0.0.1:8000',
      access_key_id: 'AWS_ACCESS_KEY_ID=…',
      secret_access_key: 'AWS_SECRET_ACCESS_KEY=…',
    };
    const line = Object.entries(settings)
      .reduce((text, [name, shown]) => {
        assert.ok(text.includes(shown), shown);
        return text.replace(shown, shown.replace(/…$|^http.*/, world.setting(name)));
      }, lines.join(' && '))
      .replaceAll('s3://zoo/', 's3://repo/');
    assert.match(await succeeds(line, cwd), /\b9 copy\.txt$/m);
  });

  /** Why lines are not run here: they install, or they run this test. What they name must be there. */
  const named: readonly (readonly [line: RegExp, exists: (name: string) => boolean])[] = [
    [/^npm install && npm (start|test)$/, script],
    [/^npm (test)(?: -- --(?:changed|watch))?$/, script],
    [/^npm test -- --(?:only|with) (\S+)$/, path => existsSync(join(repositoryRoot, path))],
    [/^npm run (test:all)(?: -- --(?:no-skip|shard \d\/\d))?$/, script],
    [/^npm run (lint|format|bench)(?: -- (?:start-up|api --also \S+|versus \S+))?$/, script],
    [/^node (\S+) postgres$/, path => existsSync(join(repositoryRoot, path))],
  ];

  function script(name: string): boolean {
    const { scripts } = JSON.parse(page('package.json')) as { scripts: Record<string, string> };
    return Object.hasOwn(scripts, name);
  }

  it('the first page and the pages for developers: what only names scripts', () => {
    const pages = ['README.md', '.github/CONTRIBUTING.md', 'scripts/bench/README.md'];
    const lines = pages.flatMap(file => blocks(file, 'sh').filter(block => block !== clientBlock())).flatMap(linesOf);
    assert.ok(lines.length >= 12);
    for (const line of lines) {
      const found = named.map(([pattern, exists]) => ({ name: pattern.exec(line)?.[1], exists })).find(({ name }) => name !== undefined);
      assert.ok(found?.name !== undefined && found.exists(found.name), `${line} is neither run nor checked`);
    }
  });

  it('there is no other block of commands', () => {
    const known = ['use srv://repo/main', 'srv plugin new'];
    const unknown = [
      'README.md',
      'cli/README.md',
      'kernel/README.md',
      'plugins/README.md',
      '.github/CONTRIBUTING.md',
      'scripts/bench/README.md',
    ]
      .flatMap(file => [...blocks(file, ''), ...blocks(file, 'bash'), ...blocks(file, 'shell')])
      .filter(block => /^(\$ )?(npx )?(cli|srv|npm|node) /m.test(block) && !known.some(beginning => block.startsWith(beginning)));
    // The folders of the package.
    assert.deepEqual(
      unknown.filter(block => !block.startsWith('bin/')),
      [],
    );
  });
});
