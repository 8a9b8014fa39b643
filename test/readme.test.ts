/** What the README shows is what happens. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { hasFeature } from './feature-operations.js';
import { writeFiles } from './file-tree.js';
import { inherited } from './processes.js';
import { ServedHome, launchServer, launchSrv, repositoryRoot, temporaryFolder, untilUp } from './programs.js';

const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8');

interface Shown {
  readonly command: string;
  readonly output: string;
}

/** Commands of the first `console` block with what they print. */
function tour(): Shown[] {
  const [, block = ''] = /```console\n(.*?)```/s.exec(readme) ?? [];
  return block
    .split(/^\$ /m)
    .slice(1)
    .map(text => {
      const end = text.indexOf('\n');
      return { command: text.slice(0, end), output: text.slice(end + 1) };
    });
}

/** Identifiers and times differ from run to run. */
const comparable = (output: string): string =>
  output.replace(/\b[0-9a-f]{64}\b/g, '<id>').replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|(?<=timestamp: +)\d{10}/g, '<time>');

/** The only block of a language. */
function block(language: string): string {
  const [only, ...more] = [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);
  assert.deepEqual(more, []);
  return only ?? assert.fail(`README.md has no block of ${language}`);
}

describe('README', () => {
  const home = temporaryFolder({ after });
  const plugin = temporaryFolder({ after });
  let server: ServedHome;

  before(async () => {
    await writeFiles(plugin, [
      ['package.json', block('json')],
      ['plugin.js', block('js')],
    ]);
    const process = launchServer(home, undefined, { SRV_PLUGINS_PATHS: plugin });
    server = new ServedHome(home, await untilUp(process), process);
  });
  after(() => server.process.end('SIGKILL'));

  it('shows what the commands of the tour print', async () => {
    const folder = temporaryFolder({ after });
    const environment: Record<string, string | undefined> = { ...inherited(), HOME: home };
    const commands = tour();
    assert.ok(commands.length >= 10);
    for (const { command, output } of commands) {
      const [, added] = /^export PATH=~(\S+):\$PATH$/.exec(command) ?? [];
      if (added !== undefined) environment.PATH = `${home}${added}:${process.env.PATH ?? ''}`;
      const { stdout, stderr, status } = spawnSync('/bin/sh', ['-c', command], { cwd: folder, env: environment, encoding: 'utf8' });
      assert.equal(status, 0, `${command}: ${stderr}`);
      assert.equal(comparable(stdout), comparable(output), command);
    }
  });

  it('shows a plugin of at most 20 lines that does what is said of it', async () => {
    assert.ok(block('js').trimEnd().split('\n').length <= 20);
    await server.run('repo', 'create', 'srv://tickets', 'local://tickets');
    await server.run('branch', 'create', 'srv://tickets/release-1', '-s', 'srv://tickets/main');
    const commit = ['commit', '--allow-empty-commit', '-m'];
    assert.match(await server.fails(...commit, 'no ticket', 'srv://tickets/release-1'), /a commit on release-1 needs a ticket/);
    await server.run(...commit, 'ABC-1: with one', 'srv://tickets/release-1');
    await server.run(...commit, 'no ticket', 'srv://tickets/main');
  });

  it('shows a configuration that switches a plugin off and adds a folder', async () => {
    const folder = temporaryFolder({ after });
    const file = block('yaml').replace('/opt/my-plugin', plugin);
    assert.notEqual(file, block('yaml'));
    await writeFiles(folder, [['srv/config.yaml', file]]);
    const list = async (env: Readonly<Record<string, string>>): Promise<string> => {
      const { code, stdout, stderr } = await launchSrv(folder, ['plugins', 'list'], env).finished;
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const listed = await list({});
    assert.match(listed, /^block-mem\b.*disabled/m);
    assert.match(listed, /^require-ticket\b/m);
    const [, name = '', value = ''] = /`(SRV_PLUGINS_DISABLED)=([\w-]+)`/.exec(readme) ?? [];
    assert.match(await list({ [name]: value }), new RegExp(`^${value}\\b.*disabled`, 'm'));
  });

  it('has at most 150 lines, and a picture of less than 150 KB', () => {
    assert.ok(readme.trimEnd().split('\n').length <= 150);
    const [, picture = ''] = /!\[[^\]]+\]\(([^)]+)\)/.exec(readme) ?? [];
    assert.ok(statSync(join(repositoryRoot, picture)).size < 150_000);
  });
});

describe('the map of the packages', () => {
  it('has a line for each package, under its layer', () => {
    const map = readFileSync(join(repositoryRoot, 'plugins', 'README.md'), 'utf8');
    const [, section = ''] = /^## Packages\n(.*?)^## /ms.exec(map) ?? [];
    const listed = section
      .split(/^### /m)
      .slice(1)
      .flatMap(part => {
        const [layer = ''] = part.split('\n', 1);
        return [...part.matchAll(/^- \[([\w-]+)\]\(([^)]+)\/README\.md\): \S/gm)].map(
          ([, name, path = '']) => `${layer} ${name} ${join('plugins', path)}`,
        );
      });
    const folders = ['kernel', 'cli', ...readdirSync(join(repositoryRoot, 'plugins')).map(name => `plugins/${name}`)];
    const found = folders
      .filter(folder => existsSync(join(repositoryRoot, folder, 'package.json')))
      .map(folder => {
        const manifest = JSON.parse(readFileSync(join(repositoryRoot, folder, 'package.json'), 'utf8')) as { srv: { layer: string } };
        return `${manifest.srv.layer} ${basename(folder)} ${folder}`;
      });
    // A feature that was removed leaves its line.
    const there = listed.filter(line => hasFeature(basename(line)) || !line.includes(' plugins/'));
    assert.deepEqual(there.sort(), found.sort());
  });
});

describe('READMEs of all packages', () => {
  const files = ['kernel', 'cli', 'scripts', 'plugins', 'test', '.github']
    .flatMap(folder => readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' }).map(path => join(folder, path)))
    .filter(path => !/(^|\/)(node_modules|dist)\//.test(path));
  const readmes = ['README.md', ...files.filter(path => path.endsWith('.md') && !path.includes('/fixtures/'))];
  const textOf = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');

  it('have links that lead somewhere, also within a page', () => {
    const wrong = readmes.flatMap(path =>
      [...textOf(path).matchAll(/\]\((?!https?:)([^)#\s]*)(#[^)\s]+)?[^)]*\)/g)]
        .map(([, target = '', anchor = '']) => ({ target, anchor, file: target === '' ? path : join(dirname(path), target) }))
        // A feature that was removed leaves links to it.
        .filter(({ file }) => hasFeature(/^plugins\/([^/]+)/.exec(file)?.[1] ?? ''))
        .filter(({ file, anchor }) => !existsSync(join(repositoryRoot, file)) || (anchor !== '' && !anchorsOf(file).includes(anchor)))
        .map(({ target, anchor }) => `${path}: ${target}${anchor}`),
    );
    assert.deepEqual(wrong, []);
  });

  /** Of the headings of a page, or of the README of a folder. */
  function anchorsOf(path: string): string[] {
    const page = statSync(join(repositoryRoot, path)).isDirectory() ? join(path, 'README.md') : path;
    return [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(
      ([, heading = '']) =>
        `#${heading
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-')}`,
    );
  }

  it('name sources that exist', () => {
    const wrong = readmes
      // The guide for plugin authors names the files of their plugins.
      .filter(path => path !== 'kernel/README.md')
      .flatMap(path =>
        [...textOf(path).matchAll(/`([\w./-]+\.tsx?)`(?!\])/g)]
          .map(([, name = '']) => name)
          .filter(
            name =>
              !files.some(file => `/${file}`.endsWith(`/${name}`) && file.startsWith(dirname(path))) &&
              ![name, join(dirname(path), name)].some(place => existsSync(join(repositoryRoot, place))),
          )
          .map(name => `${path}: ${name}`),
      );
    assert.deepEqual(wrong, []);
  });
});
