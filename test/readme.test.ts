/** What the README shows is what happens. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { writeFiles } from './file-tree.js';
import { inherited } from './processes.js';
import { Server, cliProgram, repositoryRoot, temporaryFolder } from './programs.js';

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
    await writeFiles(
      home,
      [1, 2, 3].map(i => [`pictures/${i}.txt`, `picture ${i}\n`]),
    );
    // `npx cli`, without the package manager's own start.
    const npx = join(home, 'bin', 'npx');
    await mkdir(join(home, 'bin'));
    await writeFile(npx, `#!/bin/sh\nshift\nexec '${process.execPath}' '${cliProgram}' "$@"\n`);
    await chmod(npx, 0o755);
    const environment: Record<string, string | undefined> = {
      ...inherited(),
      HOME: home,
      PATH: `${join(home, 'bin')}:${process.env.PATH ?? ''}`,
    };
    const commands = tour();
    assert.ok(commands.length >= 10);
    for (const { command, output } of commands) {
      const setting = /^export (\w+)=~(.*)$/.exec(command);
      if (setting) environment[setting[1] ?? ''] = `${home}${setting[2] ?? ''}`;
      const { stdout, stderr, status } = spawnSync('sh', ['-c', command], { cwd: home, env: environment, encoding: 'utf8' });
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
