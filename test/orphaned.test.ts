/** A server that a package runner started does not outlive it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inherited } from './processes.js';
import { repositoryRoot, temporaryFolder } from './programs.js';

const srv = join(repositoryRoot, 'cli', 'bin', 'srv.js');

/** What a package runner is: a process that starts a shell, which starts the script. */
const runner = (line: string): string => `
  const { spawn } = require('node:child_process');
  spawn('/bin/sh', ['-c', ${JSON.stringify(line)}], { stdio: 'inherit', env: { ...process.env, npm_lifecycle_event: 'start' } });
  setInterval(() => {}, 1000);
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('killed, the runner takes the server with it', { skip: existsSync('/proc/self/stat') ? false : 'needs /proc' }, async t => {
  const home = temporaryFolder(t);
  const script = join(home, 'runner.cjs');
  // The shell stays between the two, as some do.
  writeFileSync(script, runner(`'${process.execPath}' '${srv}' run --local-settings; true`));
  const child = spawn(process.execPath, [script], {
    cwd: home,
    env: { ...inherited(), HOME: home, SRV_LISTEN_ADDRESS: '127.0.0.1:0', SRV_LOGGING_FORMAT: 'json' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let told = '';
  const [stdout, stderr] = [child.stdout.setEncoding('utf8'), child.stderr.setEncoding('utf8')];
  stdout.on('data', (text: string) => (told += text));
  stderr.on('data', (text: string) => (told += text));
  while (!told.includes('Up and running')) {
    assert.equal(child.exitCode, null, told);
    await sleep(50);
  }
  const pid = Number(/"pid":(\d+)/.exec(told)?.[1]);
  child.kill('SIGKILL');
  await once(stdout, 'close');
  assert.ok(!Number.isInteger(pid) || !isAlive(pid));
  assert.match(told, /Shutting down/);
});
