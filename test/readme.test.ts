/** What the README shows is what happens. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
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
      const { stdout, stderr, status } = spawnSync('sh', ['-c', command], { cwd: folder, env: environment, encoding: 'utf8' });
      assert.equal(status, 0, `${command}: ${stderr}`);
      assert.equal(comparable(stdout), comparable(output), command);
    }
  });

  it('its links lead somewhere', () => {
    const targets = [...readme.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, target = '']) => target);
    assert.ok(targets.length > 10);
    assert.deepEqual(
      targets.filter(target => !existsSync(join(repositoryRoot, target))),
      [],
    );
  });
});
