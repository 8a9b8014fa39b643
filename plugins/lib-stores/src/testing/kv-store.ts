/** The conformance suite of the key-value contract: every driver passes it against its real backend. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { bytes, newPartition } from './kv-case.js';
import { kvConcurrencyCases, kvConditionCases } from './kv-conditions.js';
import { kvJointWriteCases } from './kv-joint-writes.js';
import { kvScanCases } from './kv-scan.js';
import { kvRefusalCases, kvValueCases } from './kv-values.js';
import type { KvStore } from '@srv/kernel';

/** A store under test. */
export interface OpenKvStore {
  readonly store: KvStore;
  /** Opens the same data again; the suite has closed the store before. Absent: the data does not outlive the store. */
  readonly reopen?: () => Promise<KvStore>;
  /** Removes the data; the suite has closed the store before. */
  readonly cleanup: () => Promise<void>;
}

export interface KvSuiteOptions {
  /** Largest value the backend takes, in bytes. Default: 1 MiB. */
  readonly maxValueBytes?: number;
  /** Milliseconds for each case, and for all of them: a store that hangs fails instead. Default: half an hour. */
  readonly timeout?: number;
}

/**
 * Registers the key-value suite with `node:test`.
 * @example testKvStore('kv-local', async () => ({ store: await openSomehow(), cleanup: async () => {} }));
 */
export function testKvStore(
  name: string,
  open: () => Promise<OpenKvStore>,
  { maxValueBytes = 1 << 20, timeout = 1_800_000 }: KvSuiteOptions = {},
): void {
  describe(`${name}: key-value contract`, { timeout }, () => {
    let opened: OpenKvStore | undefined;
    const store = (): KvStore => {
      assert.ok(opened, 'the store is open');
      return opened.store;
    };
    before(async () => {
      opened = await open();
    });
    after(async () => {
      await opened?.store.close();
      await opened?.cleanup();
    });
    kvValueCases({ store }, maxValueBytes);
    kvConditionCases({ store });
    kvJointWriteCases({ store });
    kvRefusalCases({ store });
    kvScanCases({ store });
    kvConcurrencyCases({ store });
    lifecycle(open);
  });
}

function lifecycle(open: () => Promise<OpenKvStore>): void {
  it('keeps what was written when it is opened again, where data outlives the store', async () => {
    const opened = await open();
    if (opened.reopen === undefined) {
      await opened.store.close();
      await opened.cleanup();
      return;
    }
    await opened.store.set('kept', bytes('k'), bytes('v'));
    await opened.store.set('kept', bytes('gone'), bytes('v'));
    await opened.store.delete('kept', bytes('gone'));
    const before = await opened.store.get('kept', bytes('k'));
    await opened.store.close();
    const again = await opened.reopen();
    try {
      assert.deepEqual(
        (await collect(again.scan('kept'))).map(e => e.key.toString()),
        ['k'],
      );
      assert.ok(before);
      assert.equal(await again.setIf('kept', bytes('k'), bytes('w'), before.predicate), true, 'predicates outlive the process');
    } finally {
      await again.close();
      await opened.cleanup();
    }
  });

  it('finishes writes under way when it closes, then every call fails with closed', async () => {
    const { store, cleanup } = await open();
    const partition = newPartition();
    await store.set(partition, bytes('k'), bytes('v'));
    const read = await store.get(partition, bytes('k'));
    await store.set(partition, bytes('l'), bytes('v'));
    const unread = store.scan(partition)[Symbol.asyncIterator]();
    const halfRead = store.scan(partition, { batchSize: 1 })[Symbol.asyncIterator]();
    await halfRead.next();
    const writes = Array.from({ length: 20 }, (_, i) => store.set(partition, bytes(`under-way-${i}`), bytes('v')));
    const outcomes = Promise.allSettled(writes);
    await store.close();
    for (const outcome of await outcomes) {
      if (outcome.status === 'rejected') assert.ok(isSrvError(outcome.reason, 'closed'), String(outcome.reason));
    }
    assert.ok(read);
    await rejectsWith(() => store.get(partition, bytes('k')), 'closed');
    await rejectsWith(() => store.set(partition, bytes('k'), bytes('v')), 'closed');
    await rejectsWith(() => store.setIf(partition, bytes('k'), bytes('v'), read.predicate), 'closed');
    await rejectsWith(() => store.delete(partition, bytes('k')), 'closed');
    await rejectsWith(() => collect(store.scan(partition)), 'closed');
    await rejectsWith(() => unread.next(), 'closed');
    await rejectsWith(() => halfRead.next(), 'closed');
    await store.close();
    await cleanup();
  });
}
