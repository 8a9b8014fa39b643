/** An engine whose ranges hold a few entries, with the plugin or with parts of it. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import blockMem from '@srv/block-mem/plugin';
import engineConfig from '@srv/engine/config';
import engine from '@srv/engine/plugin';
import { MemoryKvStore, createTestKernel, scratchFolder } from '@srv/kernel/testing';
import section from '../src/config.js';
import { IndexFiles } from '../src/index/index-files.js';
import { Indexer } from '../src/index/indexer.js';
import { RangeThreads } from '../src/index/threads.js';
import plugin from '../src/server/index.js';
import type { TestContext } from 'node:test';
import type { Engine, Repository } from '@srv/engine/contract';
import type { Kernel, KvStore } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { MetadataSearch } from '../src/contract.js';

export interface OpenSearch {
  readonly kernel: Kernel;
  readonly engine: Engine;
  readonly search: MetadataSearch;
  readonly kv: KvStore;
  readonly block: BlockStore;
}

interface Options {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly kv?: KvStore;
  readonly block?: BlockStore;
}

/** Only the first round comes, two seconds after the start; what the settings select is indexed then, and after each change. */
const settings = {
  'committed.warm_up': false,
  'committed.permanent.range_raggedness_entries': 6,
  'search.period': '10h',
};

export async function openSearch(t: TestContext, { config = {}, kv = new MemoryKvStore(), block }: Options = {}): Promise<OpenSearch> {
  const folder = scratchFolder();
  const kernel = await createTestKernel({
    plugins: [{ plugin: blockMem }, { plugin: engine, section: engineConfig }, { plugin, section, requires: ['engine'] }],
    config: { ...settings, 'committed.local_cache.dir': join(folder, randomUUID()), ...config },
    kv,
    ...(block ? { block } : {}),
  });
  t.after(() => kernel.stop());
  const { services } = kernel;
  return { kernel, engine: services.get('engine'), search: services.get('search'), kv, block: services.get('block') };
}

/** An indexer of its own, such as that of another server. */
export function indexerOn(t: TestContext, { engine, block }: Pick<OpenSearch, 'engine' | 'block'>, memory = 1 << 22) {
  const files = new IndexFiles({ block, committed: engine.tables, memory });
  const threads = new RangeThreads(1);
  t.after(() => threads.close());
  return { files, indexer: new Indexer({ engine, files, threads, parallel: 2 }) };
}

/** The same store, whose writes fail from number `alive` on, as those of a process that has died. */
export function dyingStore(block: BlockStore, alive: number): BlockStore & { readonly isDead: boolean } {
  let writes = 0;
  return new Proxy(block, {
    get(target, name) {
      if (name === 'isDead') return writes > alive;
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'put') return member.bind(target) as unknown;
      return (...args: unknown[]): unknown => {
        if (++writes > alive) return Promise.reject(new Error('the process has died'));
        return (member as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  }) as BlockStore & { readonly isDead: boolean };
}

export async function newRepository(engine: Engine, id = 'zoo'): Promise<Repository> {
  return engine.createRepository({ id, storageNamespace: `mem://bucket/${id}` });
}

/** Everything that a sequence yields. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
