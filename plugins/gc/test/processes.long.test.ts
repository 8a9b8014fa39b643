/** Several server processes on one database and one store: one collects at a time, and who was away deletes nothing. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { identifierType } from '@srv/lib-stores/block';
import { startSrv } from '@srv/test-servers';
import { startDynamodb } from '@srv/test-servers/dynamodb';
import { ageless, daysAgo } from './fixture.js';
import type { ChildProcess } from 'node:child_process';
import type { TestContext } from 'node:test';
import type {} from '@srv/engine/contract';
import type { RunningSrv } from '@srv/test-servers';
import type {} from '../src/contract.js';

const namespace = 'local://shared';
const child = fileURLToPath(new URL('./collector-child.js', import.meta.url));
/** Milliseconds. */
const timeoutMs = 600_000;

interface Cluster {
  readonly server: RunningSrv;
  /** Starts a further process. */
  readonly start: (name: string, pause?: number) => Promise<Collecting>;
}

/** A process that collects. */
class Collecting {
  readonly process: ChildProcess;
  readonly #told: string[] = [];

  constructor(process: ChildProcess) {
    this.process = process;
    process.on('message', (message: string) => this.#told.push(message));
  }

  collect(): void {
    this.process.send('collect');
  }

  /** Collects until a run is done: the lease of another process must stand still for long enough first. */
  async untilDone(): Promise<void> {
    const outcomes: string[] = [];
    for (const since = performance.now(); performance.now() - since < timeoutMs; await sleep(100)) {
      this.collect();
      const outcome = await this.tells('done', 'refused', 'failed');
      if (outcome.startsWith('done')) return;
      outcomes.push(outcome);
    }
    throw new Error(`no run was done: ${[...new Set(outcomes)].join('; ')}`);
  }

  /** The next message that begins so; others before it are dropped. */
  async tells(...beginnings: readonly string[]): Promise<string> {
    for (const since = performance.now(); performance.now() - since < timeoutMs; await sleep(5)) {
      const message = this.#told.shift();
      if (message !== undefined && beginnings.some(beginning => message.startsWith(beginning))) return message;
    }
    throw new Error(`the process has not reported ${beginnings.join(' or ')}`);
  }
}

async function open(t: TestContext): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'gc-processes-'));
  const database = await startDynamodb();
  const config = {
    ...ageless,
    'database.type': 'dynamodb',
    'database.dynamodb.endpoint': database.url,
    'database.dynamodb.aws_region': 'us-east-1',
    'database.dynamodb.aws_access_key_id': 'test',
    'database.dynamodb.aws_secret_access_key': 'test',
    'blockstore.local.path': join(folder, 'block'),
    'gc.cache_dir': join(folder, 'gc'),
  };
  const server = await startSrv({ plugins: ['kv-dynamodb', 'gc'], config });
  const children: ChildProcess[] = [];
  t.after(async () => {
    for (const one of children) if (one.exitCode === null && one.signalCode === null) one.kill('SIGKILL');
    await server.stop();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });
  await server.kernel.services.get('engine').createRepository({ id: 'shared', storageNamespace: namespace });
  return {
    server,
    async start(name, pause = 0) {
      const facts = { config, cacheDir: join(folder, name), pause };
      // What those leave that are killed goes with the folder.
      const env = { ...process.env, TMPDIR: folder };
      const started = fork(child, [JSON.stringify(facts)], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      children.push(started);
      const collecting = new Collecting(started);
      await collecting.tells('ready');
      return collecting;
    },
  };
}

/** Unreferenced objects. */
async function litter({ kernel }: RunningSrv, count: number): Promise<string[]> {
  const catalog = kernel.services.get('engine');
  const entries = await Promise.all(
    Array.from({ length: count }, (_, i) => catalog.putObject('shared', 'main', `lost ${i}`, Buffer.from(`${i}`))),
  );
  await catalog.resetBranch('shared', 'main', { type: 'all' });
  await sleep(20);
  return entries.map(entry => entry.address).toSorted();
}

const exists = ({ kernel }: RunningSrv, address: string): Promise<boolean> =>
  kernel.services.get('block').exists({ namespace, identifier: address, identifierType: identifierType.relative });

async function gone(server: RunningSrv, address: string): Promise<void> {
  for (const since = performance.now(); await exists(server, address); await sleep(5))
    assert.ok(performance.now() - since < timeoutMs, 'no object goes');
}

it('of two processes one collects, the other learns which run is in progress, and referenced objects stay', async t => {
  const { server, start } = await open(t);
  const catalog = server.kernel.services.get('engine');
  await server.kernel.services.get('gc').setRules('shared', { defaultRetentionDays: 1, branches: [] });
  const [one, two] = await Promise.all([start('one'), start('two')]);
  const kept: string[] = [];
  const outcomes: string[] = [];
  for (let round = 0; round < 3; round++) {
    kept.push((await catalog.putObject('shared', 'main', `kept ${round}`, Buffer.from('x'))).address);
    await catalog.commit('shared', 'main', { committer: 't', message: 'm', date: daysAgo(9 - round) });
    const garbage = await litter(server, 20);
    one.collect();
    two.collect();
    const told = await Promise.all([one, two].map(process => process.tells('done', 'refused', 'failed')));
    outcomes.push(...told);
    assert.ok(
      told.some(outcome => outcome.startsWith('done')),
      told.join('; '),
    );
    for (const outcome of told) assert.match(outcome, /^done|^refused run \w+ collects this repository already/);
    assert.deepEqual(
      await Promise.all(garbage.map(address => exists(server, address))),
      garbage.map(() => false),
    );
    assert.deepEqual(
      await Promise.all(kept.map(address => exists(server, address))),
      kept.map(() => true),
    );
  }
  assert.ok(outcomes.length === 6);
});

it('a process that was away while another resumed its run deletes nothing any more', async t => {
  const { server, start } = await open(t);
  const { services } = server.kernel;
  const [catalog, block] = [services.get('engine'), services.get('block')];
  const garbage = await litter(server, 60);
  // So slow that it is stopped in the middle of a batch.
  const [slow, other] = await Promise.all([start('slow', 30), start('other')]);
  slow.collect();
  await slow.tells('began');
  await gone(server, garbage[0] ?? '');
  slow.process.kill('SIGSTOP');
  const left = (await Promise.all(garbage.map(async address => ((await exists(server, address)) ? address : '')))).filter(
    address => address !== '',
  );
  assert.ok(left.length > 0, 'it was stopped before the end');
  // The other one waits until the lease has stood still for long enough, resumes the run, and begins one of its own.
  await other.untilDone();
  assert.deepEqual(
    await Promise.all(garbage.map(address => exists(server, address))),
    garbage.map(() => false),
  );
  // Objects come to be where the stopped process is about to delete.
  const written = left.slice(-20);
  const repository = await catalog.getRepository('shared');
  for (const identifier of written) {
    await block.put({ namespace, identifier, identifierType: identifierType.relative }, Buffer.from('new'));
    await catalog.stageEntry(repository, 'main', identifier, {
      address: identifier,
      addressType: identifierType.relative,
      size: 3,
      etag: 'e',
    });
  }
  slow.process.kill('SIGCONT');
  await slow.tells('done', 'failed', 'sweeping', 'refused');
  assert.deepEqual(
    await Promise.all(written.map(address => exists(server, address))),
    written.map(() => true),
  );
  slow.process.send('stop');
  await once(slow.process, 'exit');
});

it('a process that is killed leaves a run that another one ends', async t => {
  const { server, start } = await open(t);
  const garbage = await litter(server, 60);
  const [dying, other] = await Promise.all([start('dying', 30), start('other')]);
  dying.collect();
  const [, run = ''] = (await dying.tells('began')).split(' ');
  await gone(server, garbage[0] ?? '');
  dying.process.kill('SIGKILL');
  await once(dying.process, 'exit');
  const gc = server.kernel.services.get('gc');
  await other.untilDone();
  assert.deepEqual(
    await Promise.all(garbage.map(address => exists(server, address))),
    garbage.map(() => false),
  );
  for (;;) {
    const { phase, deleted } = await gc.getRun('shared', run);
    if (phase === 'done') {
      assert.equal(deleted, garbage.length);
      return;
    }
    assert.equal(phase, 'sweeping');
    await sleep(50);
  }
});
