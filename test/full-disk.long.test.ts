/** Programs whose standard output and standard error are files on a full disk. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@srv/test-servers';
import { inherited } from './processes.js';
import { cliProgram, srvProgram, temporaryFolder } from './programs.js';
import type { ChildProcess } from 'node:child_process';
import type { TestContext } from 'node:test';

const full = '/dev/full';
const skip = existsSync(full) ? false : `needs ${full}`;

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** @param fullError whether standard error is on the full disk, too. */
function start(t: TestContext, program: string, args: readonly string[], home: string, fullError: boolean, env = {}): Started {
  const disk = openSync(full, 'w');
  const child = spawn(process.execPath, [program, ...args], {
    cwd: import.meta.dirname,
    env: { ...inherited(), HOME: home, CLI_CONFIG_FILE: join(home, 'srv', 'cli.yaml'), ...env },
    stdio: ['ignore', disk, fullError ? disk : 'pipe'],
  });
  closeSync(disk);
  t.after(() => child.kill('SIGKILL'));
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stderr }));
  return { child, ended };
}

async function untilHealthy(url: string, { ended }: Started): Promise<void> {
  for (;;) {
    const state = await Promise.race([
      ended,
      fetch(`${url}/_health`)
        .then(({ status }) => status)
        .catch(() => sleep(50)),
    ]);
    if (state === 200) return;
    assert.ok(typeof state !== 'object', `the server ended: ${JSON.stringify(state)}`);
  }
}

describe('with a full disk', { skip }, () => {
  for (const workers of [[], ['--workers', '2']])
    it(`the server serves although nothing can be logged ${workers.join(' ')}`, async t => {
      const home = temporaryFolder(t);
      const url = `http://127.0.0.1:${await freePort()}`;
      const env = { SRV_LISTEN_ADDRESS: url.slice('http://'.length), SRV_LOGGING_LEVEL: 'TRACE', SRV_LOGGING_OUTPUT: `-,=,${full}` };
      const server = start(t, srvProgram, ['run', '--local-settings', ...workers], home, true, env);
      await untilHealthy(url, server);
      for (let i = 0; i < 20; i++) assert.equal((await fetch(`${url}/api/v1/repositories`)).status, 401);

      const list = start(t, cliProgram, ['repo', 'list', '-o', 'json'], home, false);
      assert.deepEqual(await list.ended, {
        code: 1,
        stderr: 'cli: standard output cannot be written: ENOSPC: no space left on device, write\n',
      });
      const quiet = start(t, cliProgram, ['repo', 'create', 'srv://Not-A-Name', 'local://x'], home, true);
      assert.equal((await quiet.ended).code, 2);

      server.child.kill('SIGTERM');
      assert.equal((await server.ended).code, 0);
    });

  it('a command of the server says that it cannot print', async t => {
    const { ended } = start(t, srvProgram, ['plugins', 'list'], temporaryFolder(t), false);
    const { code, stderr } = await ended;
    assert.equal(code, 1);
    assert.equal(stderr, 'srv: standard output cannot be written: ENOSPC: no space left on device, write\n');
  });

  it('a script reports that its transcript is lost', async t => {
    const home = temporaryFolder(t);
    const script = join(home, 'quiet.srv');
    writeFileSync(script, 'let a = 1\n');
    const { ended } = start(t, cliProgram, ['run', script, '--transcript', full], home, false);
    const { stderr } = await ended;
    assert.match(stderr, /--transcript: \/dev\/full cannot be written: ENOSPC/);
  });
});
