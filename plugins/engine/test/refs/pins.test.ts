/** How pins begin and end. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

function pinsOn(kv: MemoryKvStore) {
  return { pins: new Pins({ kv }) };
}

describe('the pin of an operation', () => {
  it('is in a shared database while the operation works, and goes with it', async () => {
    const kv = new MemoryKvStore('shared');
    const { pins } = pinsOn(kv);
    const seen = await pins.withPins(repository, content, () => pinsOf(kv, repository));
    assert.deepEqual(
      seen.map(pinned => [pinned.content, pinned.released]),
      [[content, false]],
    );
    assert.deepEqual(await pinsOf(kv, repository), []);
  });

  it('is refused, and is not there, when a batch takes too long', async () => {
    const kv = new MemoryKvStore('shared');
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
