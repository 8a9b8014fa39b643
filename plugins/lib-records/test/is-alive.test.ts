import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';
import { test } from 'node:test';
import { until } from '@srv/kernel/testing';
import { isAlive } from '../src/is-alive.js';

test('a process is alive until it has ended, though its parent takes no note of that', { skip: platform() !== 'linux' }, async t => {
  // The shell becomes `sleep`, which never asks for its child.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => parent.kill('SIGKILL'));
  const [text] = (await once(parent.stdout, 'data')) as [Buffer];
  const child = Number(text.toString());
  assert.ok(isAlive(process.pid));
  assert.ok(isAlive(child));
  process.kill(child, 'SIGKILL');
  await until(() => !isAlive(child));
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  assert.equal(isAlive(parent.pid ?? 0), false);
});
