/** The whole engine on stores in memory, with the collector. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import blockMem from '@srv/block-mem/plugin';
import engineConfig from '@srv/engine/config';
import engine from '@srv/engine/plugin';
import { decodeBranch, encodeBranch } from '@srv/engine/refs/messages';
import { MemoryKvStore, createTestKernel } from '@srv/kernel/testing';
import { partitionOf } from '@srv/lib-records';
import { identifierType } from '@srv/lib-stores/block';
import section from '../src/config.js';
import plugin from '../src/server/index.js';
import type { Engine } from '@srv/engine/contract';
import type { Kernel, KvEntry, KvStore, ScanOptions } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { GarbageCollection, Run, RunRequest } from '../src/contract.js';

export interface OpenEngine {
  readonly kernel: Kernel;
  readonly catalog: Engine;
  readonly gc: GarbageCollection;
  readonly block: BlockStore;
  readonly kv: KvStore;
  /** Temporary; goes with the engine. */
  readonly folder: string;
  stop(): Promise<void>;
}

interface EngineOptions {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly kv?: KvStore;
  readonly block?: BlockStore;
  /** Folder of the temporary folder. */
  readonly parent?: string;
}

export async function openEngine({
  config = {},
  kv = new MemoryKvStore(),
  block,
  parent = tmpdir(),
}: EngineOptions = {}): Promise<OpenEngine> {
  const folder = await mkdtemp(join(parent, 'gc-test-'));
  const kernel = await createTestKernel({
    plugins: [{ plugin: blockMem }, { plugin: engine, section: engineConfig }, { plugin, section, requires: ['engine'] }],
    config: {
      'committed.warm_up': false,
      'committed.local_cache.dir': join(folder, 'committed'),
      'gc.cache_dir': join(folder, 'gc'),
      ...config,
    },
    kv,
    block,
  }).catch(async (error: unknown) => {
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  return {
    kernel,
    catalog: kernel.services.get('engine'),
    gc: kernel.services.get('gc'),
    block: kernel.services.get('block'),
    kv,
    folder,
    async stop() {
      await kernel.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A repository in the bucket that all of them share. @returns its id. */
export async function addRepository({ catalog }: OpenEngine, id: string): Promise<string> {
  await catalog.createRepository({ id, storageNamespace: `mem://bucket/${id}` });
  return id;
}

/** @returns the address of the object. */
export async function putText({ catalog }: OpenEngine, id: string, branch: string, path: string, content = path): Promise<string> {
  return (await catalog.putObject(id, branch, path, Buffer.from(content))).address;
}

/** A folder that goes with the test. */
export async function temporaryFolder(t: { after(work: () => Promise<void>): void }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gc-test-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export const day = 86_400_000;

/** The time that many days ago. */
export function daysAgo(days: number): Date {
  return new Date(Date.now() - days * day);
}

/** Bytes of a full URI. */
export async function contentAt(block: BlockStore, uri: string): Promise<Buffer> {
  return buffer(await block.get({ namespace: uri, identifier: uri, identifierType: identifierType.full }));
}

/** Every address the store lists below a full URI. */
export async function addressesBelow(block: BlockStore, uri: string): Promise<string[]> {
  const found: string[] = [];
  for await (const page of block.walk(uri)) found.push(...page.map(object => object.address));
  return found;
}

/** Settings with which everything there is counts as old. */
export const ageless = { 'gc.min_age': '0s', 'gc.unsafe_min_age': true } as const;

/** Starts a run, or takes one, and waits for its end. */
export async function ended(gc: GarbageCollection, repository: string, started: string | Promise<string>): Promise<Run> {
  const id = await started;
  for (;;) {
    const run = await gc.getRun(repository, id);
    if (run.phase !== 'marking' && run.phase !== 'sweeping') return run;
    await sleep(2);
  }
}

/** A run over everything there is now. */
export async function collect(gc: GarbageCollection, repository: string, request: Partial<RunRequest> = {}): Promise<Run> {
  // Objects of this very millisecond are not older than it.
  await sleep(2);
  return ended(gc, repository, gc.start(repository, { mode: 'run', ...request }));
}

/** Whether the bytes of an address relative to the repository's namespace are there. */
export function exists({ block }: Pick<OpenEngine, 'block'>, repository: string, address: string): Promise<boolean> {
  return block.exists({ namespace: `mem://bucket/${repository}`, identifier: address, identifierType: identifierType.relative });
}

/** Can do something once between two pages of a scan. */
export class PagedKv extends MemoryKvStore {
  #partition = '';
  #work: (() => Promise<void>) | undefined;

  /** @param work done after the first page of the partition. */
  afterPage(partition: string, work: () => Promise<void>): void {
    this.#partition = partition;
    this.#work = work;
  }

  /** Whether what was to be done is still to do. */
  get isWaiting(): boolean {
    return this.#work !== undefined;
  }

  override async *scan(partition: string, options?: ScanOptions): AsyncGenerator<readonly KvEntry[]> {
    for await (const page of super.scan(partition, options)) {
      yield page;
      const work = partition === this.#partition ? this.#work : undefined;
      if (!work) continue;
      this.#work = undefined;
      await work();
    }
  }
}

/** As after a compaction: all rows of a branch lie in a new partition, and the one they were in is empty. */
export async function gatherStaged({ kv, catalog }: OpenEngine, id: string, branchId: string): Promise<void> {
  const [own, record] = [partitionOf(await catalog.getRepository(id)), Buffer.from(`branches/${branchId}`)];
  const stored = await kv.get(own, record);
  const branch = decodeBranch(stored?.value ?? Buffer.of());
  const [gathered, fresh] = [`${branch.stagingToken}-gathered`, `${branch.stagingToken}-fresh`];
  const keys: Buffer[] = [];
  for await (const page of kv.scan(branch.stagingToken))
    for (const { key, value } of page) {
      await kv.set(gathered, key, value);
      keys.push(key);
    }
  await kv.set(own, record, encodeBranch({ ...branch, stagingToken: fresh, sealedTokens: [gathered, ...branch.sealedTokens] }));
  for (const key of keys) await kv.delete(branch.stagingToken, key);
}
