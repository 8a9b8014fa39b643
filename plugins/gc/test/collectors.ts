/** Collectors with short times, on stores that may die under them. */
import { join } from 'node:path';
import { SrvError, silentLogger } from '@srv/kernel';
import { StoredRules } from '../src/rules/stored-rules.js';
import { Collector } from '../src/run/collector.js';
import { answer } from '../src/worker/work.js';
import type { Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { LeaseTimes } from '../src/run/lease.js';
import type { RangeIds } from '../src/worker/range-file.js';
import type { Sorting } from '../src/worker/sorter.js';
import type { MergeSource, WorkerAnswer } from '../src/worker/work.js';
import type { OpenEngine } from './fixture.js';

/** Milliseconds. */
export const shortTimes: LeaseTimes = { beat: 20, giveUp: 75, stale: 150, look: 2, longest: 600_000 };
/** Of collectors that keep their leases, however busy the machine is. */
export const patient: LeaseTimes = { ...shortTimes, giveUp: 600_000, stale: 1_200_000 };
/** Of a collector that dies after a number of writes: beats are writes, too, and a busy machine makes more of them. */
export const withoutBeats: LeaseTimes = { ...patient, beat: 600_000 };
/** Of the only one that is alive: it takes the lease of a dead one soon and keeps its own. */
export const ofSurvivor: LeaseTimes = { ...patient, stale: shortTimes.stale };
/** Milliseconds until a repository must be free. */
const timeoutMs = 600_000;

/** Sorts in this thread: lists of tests are short, and threads take longer to start than to sort them. */
class InlineSorter implements Sorting {
  async range(bytes: Buffer, name: string, count: number, path: string, lists: RangeIds): Promise<void> {
    const copy = new ArrayBuffer(bytes.length);
    Buffer.from(copy).set(bytes);
    check(answer({ kind: 'range', bytes: copy, name, count, path, lists }));
  }

  async merge(sources: readonly MergeSource[], path: string): Promise<void> {
    check(answer({ kind: 'merge', sources, path, lasts: false }));
  }

  async sort(ids: Buffer, path: string): Promise<void> {
    const copy = new ArrayBuffer(ids.length);
    Buffer.from(copy).set(ids);
    check(answer({ kind: 'sort', ids: copy, path, lasts: false }));
  }

  async close(): Promise<void> {}
}

function check({ error }: WorkerAnswer): void {
  if (error) throw new SrvError(error.code, error.message);
}

interface Stores {
  readonly kv: KvStore;
  readonly block: BlockStore;
}

export function collectorOn(
  engine: Pick<OpenEngine, 'kernel' | 'kv' | 'block' | 'folder'>,
  name: string,
  { kv, block }: Stores = engine,
  times = shortTimes,
  home?: string,
): Collector {
  const { services, hooks } = engine.kernel;
  const committed = services.get('engine').tables;
  return new Collector({
    kv,
    block,
    committed,
    engine: services.get('engine'),
    rules: new StoredRules(block, services.get('engine')),
    hooks,
    log: silentLogger,
    cacheDir: join(engine.folder, name),
    times,
    home,
    openSorter: () => new InlineSorter(),
    minAge: 0,
    rateLimit: 0,
    maxGarbagePercent: 100,
    quarantineDays: 0,
    metadataAges: { files: 0, setAside: 60_000, uploads: 0, reports: 0 },
  });
}

/** The stores of a process that is killed after a number of writes: from then on nothing reaches them. */
export function mortal({ kv, block }: Stores, writes: number): Stores & { readonly isDead: () => boolean } {
  let left = writes;
  const writing = new Set(['set', 'setIf', 'delete', 'put', 'remove', 'removeAll', 'copy', 'abortMultipart']);
  const wrap = <T extends object>(store: T): T =>
    new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function' || name === 'resolve') return value;
        return (...args: unknown[]): unknown => {
          if (left <= 0) throw new SrvError('unavailable', 'killed');
          if (writing.has(String(name))) left--;
          return Reflect.apply(value, target, args);
        };
      },
    });
  return { kv: wrap(kv), block: wrap(block), isDead: () => left <= 0 };
}

/** Resumes what a dead process left, and runs again until a run has succeeded. The collector must be the only one alive. */
export async function finish(collector: Collector, repository: Repository): Promise<void> {
  for (const since = performance.now(); performance.now() - since < timeoutMs; ) {
    await collector.resume(repository);
    try {
      const id = await collector.start(repository, { mode: 'run' });
      await collector.wait(id);
      const record = await collector.records.get(repository, id);
      if (record.phase === 'done') return;
      throw new Error(`run ${id} ended as ${record.phase}: ${record.error}`);
    } catch (error) {
      if (!(error instanceof SrvError) || error.code !== 'conflict') throw error;
      await new Promise(resolve => setTimeout(resolve, 10));
    }
  }
  throw new Error('the repository stays occupied');
}
