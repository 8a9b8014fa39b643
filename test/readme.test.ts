/** What the README shows is what happens. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, it } from 'node:test';
import { hasFeature } from './feature-operations.js';
import { writeFiles } from './file-tree.js';
import { inherited } from './processes.js';
import { Server, repositoryRoot, temporaryFolder } from './programs.js';

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
  output.replace(/\b[0-9a-f]{64}\b/g, '<id>').replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '<time>');

describe('README', () => {
  const home = temporaryFolder({ after });

  it('the tour prints what it shows', async t => {
    const server = await Server.start(home);
    t.after(() => server.kill());
    const folder = temporaryFolder({ after });
    await writeFiles(
      folder,
      [1, 2, 3].map(i => [`pictures/${i}.txt`, `picture ${i}\n`]),
    );
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
});

describe('READMEs of all packages', () => {
  const files = ['kernel', 'cli', 'scripts', 'plugins']
    .flatMap(folder => readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' }).map(path => join(folder, path)))
    .filter(path => !/(^|\/)(node_modules|dist)\//.test(path));
  const readmes = ['README.md', ...files.filter(path => path.endsWith('/README.md'))];
  const textOf = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');

  it('have links that lead somewhere', () => {
    const wrong = readmes.flatMap(path =>
      [...textOf(path).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)]
        .map(([, target = '']) => ({ target, file: join(dirname(path), target) }))
        // A feature that was removed leaves links to it.
        .filter(({ file }) => hasFeature(/^plugins\/([^/]+)/.exec(file)?.[1] ?? '') && !existsSync(join(repositoryRoot, file)))
        .map(({ target }) => `${path}: ${target}`),
    );
    assert.deepEqual(wrong, []);
  });

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
              !existsSync(join(repositoryRoot, name)),
          )
          .map(name => `${path}: ${name}`),
      );
    assert.deepEqual(wrong, []);
  });
});
