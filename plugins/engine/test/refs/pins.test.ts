/** How pins begin and end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SrvError, silentLogger } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { partitionOf } from '@srv/lib-records';
import { leaseKey, pin, pinsOf } from '../../src/refs/pins/index.js';
import { Pins } from '../../src/refs/pins/pins.js';
import type { Repository } from '../../src/refs/contract.js';
import type { LeaseState } from '../../src/refs/pins/index.js';

const repository: Repository = {
  id: 'repo',
  instanceUid: 'uid',
  storageNamespace: 'mem://bucket/repo',
  storageId: '',
  defaultBranch: 'main',
  creationDate: new Date(0),
  state: 'active',
  readOnly: false,
};
const content = { addresses: ['data/x'] };

/** A database that other servers use, and that can be away. */
class Database extends MemoryKvStore {
  isAway = false;

  constructor() {
    super('shared');
  }

  override async get(...args: Parameters<MemoryKvStore['get']>) {
    if (this.isAway) throw new SrvError('unavailable', 'the database restarts');
    return super.get(...args);
  }
}

function pinsOn(kv: Database) {
  const warnings: unknown[] = [];
  const log = { ...silentLogger, warn: (facts: unknown) => void warnings.push(facts) };
  return { warnings, pins: new Pins({ kv, log }) };
}

describe('the pin of an operation', () => {
  it('is in a shared database while the operation works, and goes with it', async () => {
    const kv = new Database();
    const { pins, warnings } = pinsOn(kv);
    const seen = await pins.withPins(repository, content, () => pinsOf(kv, repository));
    assert.deepEqual(
      seen.map(pinned => [pinned.content, pinned.released]),
      [[content, false]],
    );
    assert.deepEqual([await pinsOf(kv, repository), warnings], [[], []]);
  });

  it('that cannot be ended does not change the result of the operation', async () => {
    const kv = new Database();
    const { pins, warnings } = pinsOn(kv);
    const result = await pins.withPins(repository, content, async () => {
      kv.isAway = true;
      return 'commit';
    });
    assert.equal(result, 'commit');
    assert.deepEqual(warnings, [{ repository: 'repo', error: 'the database restarts' }]);
    const failing = pins.withPins(repository, content, () => Promise.reject(new Error('not reached')));
    await assert.rejects(failing, { code: 'unavailable' }, 'without a pin nothing is done');
  });

  it('is refused, and is not there, when a batch takes too long', async () => {
    const kv = new Database();
    const lease: LeaseState = { owner: 'o', run: 'r1', epoch: 1, beat: 0, deleting: true, batch: 1 };
    await kv.set(partitionOf(repository), leaseKey, Buffer.from(JSON.stringify(lease)));
    await assert.rejects(pin(repository, content, { kv, times: { look: 1, stale: 10_000, longest: 5 } }), {
      code: 'unavailable',
      message: /garbage collection of repo has been removing a batch for too long; try again later/,
      details: { repository: 'repo', run: 'r1' },
    });
    assert.deepEqual(
      (await pinsOf(kv, repository)).filter(({ released }) => !released),
      [],
    );
  });
});
