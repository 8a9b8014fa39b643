/** Two workers over one embedded database, one of which is killed again and again; the other continues, and nothing is lost. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { seededRandom } from '@srv/kernel/testing';
import { EmbeddedWorkers } from '../embedded-workers.js';
import { Server, launchSrv, temporaryFolder } from '../programs.js';
import { commitIds, listObjects, place, readObjects } from './branch-state.js';
import { Ledger } from './ledger.js';
import type { Client } from '@srv/engine/client';
import type { Objects } from './ledger.js';

const rounds = 6;
const writers = 8;
const pathsPerWriter = 25;
/** Writes that must be acknowledged after a worker was killed, before its replacement is waited for. */
const writesAfterKill = 10;

describe('workers that are killed', { skip: !existsSync('/proc/locks') && 'needs Linux' }, () => {
  const random = seededRandom();
  const home = temporaryFolder({ after });
  /** While it is there, processes that are started wait. */
  const gate = join(home, 'gate');
  const ledger = new Ledger();
  /** Commit ID → path → MD5 of what it holds; noted when the commit is first seen. */
  const commits = new Map<string, Objects>();
  let server: EmbeddedWorkers;
  let client: Client;
  let serial = 0;

  before(async () => {
    const waits = join(home, 'waits.mjs');
    writeFileSync(waits, waitsWhile(gate));
    server = await EmbeddedWorkers.start(home, { NODE_OPTIONS: `--import=${pathToFileURL(waits).href}` });
    client = server.client();
    await client.createRepository({ body: { name: place.repository, storage_namespace: 'local://faults', default_branch: place.branch } });
  });
  after(() => server.process.end('SIGKILL'));

  /** Every commit of the log lists completely, and those that were seen before have not changed. */
  async function checkHistory(answered: readonly string[]): Promise<void> {
    const log = await commitIds(client);
    for (const id of [...answered, ...commits.keys()]) assert.ok(log.includes(id), `commit ${id} is not in the log`);
    for (const id of log) {
      const objects = await listObjects(client, id);
      const known = commits.get(id);
      if (known) assert.deepEqual(new Map(objects), new Map(known), `commit ${id}`);
      else commits.set(id, objects);
    }
  }

  async function write(path: string, content: string | undefined): Promise<void> {
    ledger.asked(path, content);
    if (content === undefined) await client.deleteObject({ ...place, path });
    else await client.uploadObject({ ...place, path, body: content });
    ledger.acknowledged(path, content);
  }

  for (let round = 1; round <= rounds; round++) {
    it(`one of two continues, and loses nothing, round ${round}`, async t => {
      t.diagnostic(`seed ${random.seed}; replay with SRV_TEST_SEED`);
      const answered: string[] = [];
      const failures: string[] = [];
      let acknowledged = 0;
      let goesOn = true;
      const writer = async (number: number): Promise<void> => {
        for (; goesOn; ) {
          const content = random.below(8) === 0 ? undefined : `${++serial} `.repeat(1 + random.below(2000));
          await write(`storm/${number}/${random.below(pathsPerWriter)}`, content).then(
            () => acknowledged++,
            (error: unknown) => failures.push(reasonOf(error)),
          );
        }
      };
      const committer = async (): Promise<void> => {
        for (; goesOn; ) {
          await client.commit({ ...place, body: { message: `storm ${round}`, allow_empty: true } }).then(
            ({ id }) => answered.push(id),
            (error: unknown) => failures.push(reasonOf(error)),
          );
        }
      };
      const storm = Promise.all([...Array.from({ length: writers }, (_, number) => writer(number)), committer()]);
      // An answer that must not come ends all of it; it is thrown below.
      storm.catch(() => {
        goesOn = false;
      });
      const isOwner = round % 2 === 1;
      try {
        await sleep(200 + random.below(800));
        const { owner, other } = server.pids();
        const starts = server.starts;
        writeFileSync(gate, '');
        process.kill(isOwner ? owner : other, 'SIGKILL');
        // What was asked of the peer before is answered, and so is what comes.
        const before = acknowledged;
        while (goesOn && acknowledged < before + writesAfterKill) await sleep(5);
        assert.equal(server.starts, starts, 'the peer continues before there is a replacement');
        rmSync(gate);
        await server.untilStarts(starts + 1);
      } finally {
        goesOn = false;
        rmSync(gate, { force: true });
        await storm;
      }
      t.diagnostic(
        `${isOwner ? 'the owner' : 'the other'} was killed; ${acknowledged} writes and ${answered.length} commits were acknowledged`,
      );
      t.diagnostic(`failed: ${[...new Set(failures)].join('; ')}`);
      ledger.saw(await readObjects(client));
      await checkHistory(answered);
      const { id } = await client.commit({ ...place, body: { message: `after ${round}`, allow_empty: true } });
      const wanted = await listObjects(client, place.branch);
      assert.deepEqual(await listObjects(client, id), wanted);
    });
  }

  it('another server on the folder is refused, of whatever kind', async () => {
    for (const args of [[], ['--workers', '2']]) {
      const { code, stderr } = await launchSrv(home, ['run', '--local-settings', ...args], { SRV_LISTEN_ADDRESS: '127.0.0.1:0' }).finished;
      assert.equal(code, 1);
      assert.match(stderr, /^srv: database\.local\.path: \S+ is in use by another process; stop that process or choose another folder\n$/);
    }
  });

  it('stops cleanly under load, and a single server finds everything', async () => {
    const writing = Array.from({ length: writers }, async (_, i) => {
      for (let n = 0; ; n++) {
        try {
          await write(`last/${i}/${n}`, `${n}`);
        } catch (error) {
          reasonOf(error);
          return;
        }
      }
    });
    await sleep(300);
    const { code, stderr } = await server.process.end('SIGTERM');
    assert.equal(code, 0, stderr);
    await Promise.all(writing);
    // What those that were killed left has been taken over by others. Where syncs take long, a journal is left to the next start.
    const block = join(home, 'srv', 'data', 'block');
    assert.deepEqual(readdirSync(join(block, '.srv-tmp')), [], 'after a clean stop');
    const left = readdirSync(join(block, '.srv-journal'));
    if (left.length > 0) assert.match(server.process.stdout + stderr, /the journal was not retired completely; the next start continues/);
    const alone = await Server.start(home);
    while (left.some(name => existsSync(join(block, '.srv-journal', name)))) await sleep(50);
    client = alone.client();
    ledger.saw(await readObjects(client));
    await checkHistory([]);
    assert.equal((await alone.stop()).code, 0);
  });
});

/** A module that holds a process up before it runs anything, for as long as a file exists. */
function waitsWhile(file: string): string {
  return `import { existsSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const pause = new Int32Array(new SharedArrayBuffer(4));
while (isMainThread && existsSync(${JSON.stringify(file)})) Atomics.wait(pause, 0, 0, 20);
`;
}

/** Of a connection that broke, or of a server that says it does not know; nothing else may happen. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && !('status' in error)) return 'connection broke';
  const { status, message } = error as Error & { readonly status: number };
  assert.equal(status, 503, message);
  return message;
}
