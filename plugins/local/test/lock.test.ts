/** One command at a time works in a linked directory. */
import assert from 'node:assert/strict';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { scratchFolder } from '@srv/kernel/testing';
import { runCommand } from '@srv/lib-commands/testing';
import { commands } from '../src/cli/commands.js';
import { locked } from '../src/cli/sync/lock.js';
import { ModelServer, localContext, onDisk } from './model-server.js';

const lockFile = (folder: string): string => join(folder, '.srv_ref.lock');

function signal(): { readonly promise: Promise<void>; readonly give: () => void } {
  let give = (): void => {};
  const promise = new Promise<void>(resolve => {
    give = resolve;
  });
  return { promise, give };
}

class Linked {
  readonly server = new ModelServer({ 'data/a': 'first' });
  readonly folder = join(scratchFolder(), 'd');
  /** Reached by the first download, which then waits. */
  reached = signal();
  goOn = signal();

  async run(command: string, options = {}, args = [this.folder]) {
    const { context, told } = await localContext(this.server, { changes: { format: 'json' } });
    const api = await context.client();
    const client = new Proxy(api, {
      get: (target, name, receiver) => {
        const member = Reflect.get(target, name, receiver) as unknown;
        if (name !== 'getObject') return member;
        return async (...given: unknown[]) => {
          this.reached.give();
          await this.goOn.promise;
          return (member as (...given: unknown[]) => unknown)(...given);
        };
      },
    });
    return runCommand(
      commands,
      { context: { ...context, client: async () => client }, calls: [], told },
      `local ${command}`,
      args,
      options,
    );
  }

  clone() {
    return this.run('clone', {}, ['srv://lakes/main/data/', this.folder]);
  }
}

test('a second command reports which process is at work, and the first continues undisturbed', async () => {
  const linked = new Linked();
  const { server, folder } = linked;
  for (const [name, first] of [
    ['clone', () => linked.clone()],
    ['pull', () => linked.run('pull')],
  ] as const) {
    server.change({ 'data/b': `version ${server.commits.size}` });
    Object.assign(linked, { reached: signal(), goOn: signal() });
    const running = first();
    await Promise.race([linked.reached.promise, running]);
    const busy = `another command is at work in ${folder} (this process)`;
    const message = `${busy}; wait until it has ended, or remove ${lockFile(folder)} when it has`;
    for (const command of ['pull', 'commit', 'checkout'])
      await assert.rejects(linked.run(command, { message: 'x', yes: true }), { message }, command);
    await assert.rejects(linked.run('init', { force: true }, ['srv://lakes/main/', folder]), { message });
    if (name === 'clone') await assert.rejects(linked.clone(), { message });
    const { interrupted } = (await linked.run('status')).data as { interrupted?: string };
    assert.equal(interrupted, `${busy}: local ${name} has begun and not ended`);
    linked.goOn.give();
    await running;
    assert.ok(!existsSync(lockFile(folder)));
    assert.deepEqual(onDisk(folder), { a: 'first', b: server.committed()['data/b'] });
    assert.deepEqual((await linked.run('status')).data, { results: [] });
  }
});

test('a command that fails leaves no lock, and a clone that fails no folder', async () => {
  const linked = new Linked();
  linked.server.change({ 'data/x': 'a file', 'data/x/y': 'and a folder' });
  await assert.rejects(linked.clone(), { message: /cannot hold both a file and a folder of one name/ });
  assert.ok(!existsSync(linked.folder));
});

test('the lock of a process that runs holds until it ends', async () => {
  const folder = scratchFolder();
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const lock = (owner: unknown): void => writeFileSync(lockFile(folder), JSON.stringify(owner));
  const host = hostname();
  lock({ pid: child.pid, host });
  await assert.rejects(
    locked(folder, async () => {}),
    { message: new RegExp(`at work in .* \\(process ${child.pid} on ${host}\\); wait`) },
  );
  child.kill('SIGKILL');
  await once(child, 'close');
  assert.equal(await locked(folder, async () => 'taken over'), 'taken over');
  // A new process can have the number of the one that left it, as in containers.
  lock({ pid: process.pid, host });
  assert.equal(await locked(folder, async () => 'taken over'), 'taken over');
  for (const [owner, who] of [
    [{ pid: child.pid, host: `not-${host}` }, `process ${child.pid} on not-${host}`],
    ['{', 'a process'],
    [null, 'a process'],
  ] as const) {
    lock(owner);
    await assert.rejects(
      locked(folder, async () => {}),
      { message: new RegExp(`\\(${who}\\)`) },
    );
    assert.deepEqual(readdirSync(folder), ['.srv_ref.lock']);
  }
});

test('of processes that find abandoned locks one at a time gets them', async () => {
  const folder = join(scratchFolder(), 'd');
  mkdirSync(folder);
  const dead = spawn(process.execPath, ['-e', '0']);
  await once(dead, 'close');
  const processes = Array.from({ length: 4 }, () => fork(join(import.meta.dirname, 'lock-contender.js'), [folder, String(dead.pid)]));
  const codes = await Promise.all(processes.map(async child => ((await once(child, 'exit')) as [number | null])[0]));
  assert.deepEqual(codes, [0, 0, 0, 0]);
});

test('of many that find an abandoned lock one at a time gets it', async () => {
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'close');
  for (let round = 0; round < 20; round++) {
    const folder = join(scratchFolder(), 'd');
    mkdirSync(folder);
    writeFileSync(lockFile(folder), JSON.stringify({ pid: child.pid, host: hostname() }));
    let inside = 0;
    let most = 0;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        locked(folder, async () => {
          most = Math.max(most, ++inside);
          await turn();
          inside--;
        }),
      ),
    );
    assert.equal(most, 1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') assert.match(String(outcome.reason), /another command is at work/);
    assert.deepEqual(readdirSync(folder), []);
  }
});
