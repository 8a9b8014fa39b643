/** The same schedules as in memory, through two servers that share one owner of an embedded database, which dies again and again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '@srv/kernel/testing';
import { ConnectionCutter, OwnerProcess, openPeer } from '@srv/kv-local/testing';
import { runSchedules } from './schedules.js';

/** A tenth of those in memory: every step waits for a disk. */
const schedules = Math.ceil(Number(process.env['SRV_SCHEDULES'] ?? 400) / 10);
const firstSeed = Number(process.env['SRV_TEST_SEED'] ?? Date.now() % 1_000_000);

describe('many clients over two servers and one owner of an embedded database', () => {
  const name = 'no acknowledged write is lost or duplicated while it is killed and connections are cut, commits are linear';
  it(`${name} (SRV_TEST_SEED=${firstSeed}, ${schedules} schedules)`, async t => {
    const folder = await mkdtemp(join(tmpdir(), 'srv-owner-'));
    const path = join(folder, 'db');
    const random = seededRandom();
    let owner = await OwnerProcess.start(path, 'slow');
    const stores = [await openPeer(path, false), await openPeer(path, false)] as const;
    let isOver = false;
    const counts = { kills: 0, cuts: 0 };
    const chaos = async (): Promise<void> => {
      while (!isOver) {
        const cutter = await ConnectionCutter.open(path, join(folder, `cutter-${counts.kills}`));
        for (let cuts = random.below(4); cuts > 0 && !isOver; cuts--) {
          await sleep(20 + random.below(200));
          cutter.cut();
          counts.cuts++;
        }
        await sleep(20 + random.below(300));
        await cutter.close(path);
        await owner.kill();
        owner = await OwnerProcess.start(path, 'slow');
        counts.kills++;
      }
    };
    const disturbing = chaos();
    try {
      await runSchedules({ firstSeed, schedules, stores: () => stores, tolerated: ['unavailable'] });
    } finally {
      isOver = true;
      await disturbing;
      await Promise.all(stores.map(store => store.close()));
      await owner.stop();
      await rm(folder, { recursive: true, force: true });
    }
    t.diagnostic(`${counts.kills} owners were killed, and connections cut ${counts.cuts} times`);
  });
});
