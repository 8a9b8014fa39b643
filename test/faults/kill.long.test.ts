/** The server is killed without warning, again and again on the same data; nothing that was acknowledged may be lost. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@srv/kernel/testing';
import { Server, temporaryFolder } from '../programs.js';
import { commitIds, listObjects, md5, place, readObjects, uncommittedPaths } from './branch-state.js';
import { Ledger } from './ledger.js';
import type { Client } from '@srv/engine/client';
import type { Objects } from './ledger.js';

const rounds = { upload: 4, commit: 5, both: 3 };
/** Uploads under way at any time. */
const writers = 12;
const pathsPerWriter = 25;

describe('a server that is killed', () => {
  const random = seededRandom();
  const home = temporaryFolder({ after });
  const ledger = new Ledger();
  /** Commit ID → path → MD5 of what it holds; noted when the commit is first seen. */
  const commits = new Map<string, Objects>();
  let server: Server;
  let client: Client;
  let serial = 0;
  /** Milliseconds that a commit of the staged paths takes. */
  let commitTime = 0;

  before(async () => {
    server = await Server.start(home);
    client = server.client();
    await client.createRepository({ body: { name: place.repository, storage_namespace: 'local://faults', default_branch: place.branch } });
    for (const id of await commitIds(client)) commits.set(id, new Map());
    // The first commit is slower than those that follow.
    for (let i = 0; i < 2; i++) {
      await stage(`before ${i}`);
      const begin = performance.now();
      await client.commit({ ...place, body: { message: `before ${i}` } });
      commitTime = performance.now() - begin;
    }
  });
  after(() => server.kill());

  /** Kills the server after some time, starts it again, and reads everything back. @param limit of the time, in milliseconds. */
  async function killWithin(limit: number, work: Promise<unknown>): Promise<void> {
    // Awaited below; until then its failure must not count as unhandled.
    work.catch(() => undefined);
    await sleep(random.below(Math.ceil(limit)));
    await server.kill();
    await work;
    server = await Server.start(home);
    client = server.client();
    ledger.saw(await readObjects(client));
  }

  /** Every commit of the log lists completely, and those that were seen before have not changed. */
  async function checkHistory(): Promise<string[]> {
    const log = await commitIds(client);
    for (const id of log) {
      const objects = await listObjects(client, id);
      const known = commits.get(id);
      if (known) assert.deepEqual(sorted(objects), sorted(known), `commit ${id}`);
      else commits.set(id, objects);
    }
    assert.ok(
      [...commits.keys()].every(id => log.includes(id)),
      'a commit has left the log',
    );
    return log;
  }

  /** The server works as before: it accepts objects, deletions and commits. */
  async function checkWrites(): Promise<void> {
    await write(`proof/${++serial}`, `proof ${serial}`);
    const { id } = await client.commit({ ...place, body: { message: `after kill ${serial}` } });
    assert.deepEqual(await uncommittedPaths(client), []);
    assert.equal((await client.getBranch(place)).commit_id, id);
    const wanted = [...ledger.certain()].map(([path, content]): [string, string] => [path, md5(content)]);
    assert.deepEqual(sorted(await listObjects(client, id)), sorted(new Map(wanted)));
  }

  async function write(path: string, content: string | undefined): Promise<void> {
    ledger.asked(path, content);
    if (content === undefined) await client.deleteObject({ ...place, path });
    else await client.uploadObject({ ...place, path, body: content });
    ledger.acknowledged(path, content);
  }

  /** Changes as many objects as make a commit take its time. @returns their paths, sorted. */
  async function stage(note: string): Promise<string[]> {
    const paths = Array.from({ length: 300 }, (_, i) => `commit/${i}`).sort();
    await Promise.all(paths.map(path => write(path, `${note}: ${path}`)));
    return paths;
  }

  /** Writers that upload, replace and delete until the server goes away; each has paths of its own. */
  async function storm(): Promise<number> {
    let acknowledged = 0;
    const writer = async (number: number): Promise<void> => {
      for (;;) {
        const path = `storm/${number}/${random.below(pathsPerWriter)}`;
        const content = random.below(8) === 0 ? undefined : `${++serial} `.repeat(1 + random.below(2000));
        try {
          await write(path, content);
          acknowledged++;
        } catch (error) {
          assert.ok(isLost(error), `the server answered with an error: ${String(error)}`);
          return;
        }
      }
    };
    await Promise.all(Array.from({ length: writers }, (_, number) => writer(number)));
    return acknowledged;
  }

  for (let round = 1; round <= rounds.upload; round++) {
    it(`keeps every acknowledged object, round ${round}`, async t => {
      t.diagnostic(`seed ${random.seed}; replay with SRV_TEST_SEED`);
      const work = storm();
      await killWithin(1500, work);
      t.diagnostic(`${await work} writes were acknowledged`);
      await checkHistory();
      await checkWrites();
    });
  }

  for (let round = 1; round <= rounds.commit; round++) {
    it(`commits whole or not at all, round ${round}`, async t => {
      t.diagnostic(`seed ${random.seed}; replay with SRV_TEST_SEED`);
      const base = await commitIds(client);
      const staged = await stage(`round ${round}`);
      assert.deepEqual(await uncommittedPaths(client), staged);

      let answer: string | undefined;
      const commit = client.commit({ ...place, body: { message: `round ${round}` } }).then(
        ({ id }) => (answer = id),
        (error: unknown) => assert.ok(isLost(error), String(error)),
      );
      await killWithin(commitTime * 2.5, commit);
      const log = await checkHistory();
      const added = log.slice(0, log.length - base.length);
      assert.deepEqual(log.slice(added.length), base);
      t.diagnostic(`the commit was ${answer ? 'answered' : added.length > 0 ? 'made, not answered' : 'not made'}`);
      if (answer !== undefined) assert.deepEqual(added, [answer]);
      assert.ok(added.length <= 1, 'more than one commit');
      // The branch has the new commit, or the objects are still to be committed: `killWithin` has read them either way.
      assert.deepEqual(await uncommittedPaths(client), added.length === 1 ? [] : staged);
      await checkWrites();
    });
  }

  for (let round = 1; round <= rounds.both; round++) {
    it(`loses nothing when killed with uploads and commits under way, round ${round}`, async t => {
      t.diagnostic(`seed ${random.seed}; replay with SRV_TEST_SEED`);
      const answered: string[] = [];
      const committing = async (): Promise<void> => {
        for (;;) {
          try {
            answered.push((await client.commit({ ...place, body: { message: `storm ${round}`, allow_empty: true } })).id);
          } catch (error) {
            assert.ok(isLost(error), String(error));
            return;
          }
        }
      };
      const work = Promise.all([storm(), committing()]);
      await killWithin(2000, work);
      const [acknowledged] = await work;
      t.diagnostic(`${acknowledged} writes and ${answered.length} commits were acknowledged`);
      const log = await commitIds(client);
      assert.ok(
        answered.every(id => log.includes(id)),
        'an acknowledged commit is not in the log',
      );
      await checkHistory();
      await checkWrites();
    });
  }
});

/** Whether the connection broke or was refused: the server had no chance to answer. */
function isLost(error: unknown): boolean {
  return error instanceof Error && !('status' in error);
}

const sorted = (objects: Objects): [string, string][] => [...objects].sort(([a], [b]) => (a < b ? -1 : 1));
