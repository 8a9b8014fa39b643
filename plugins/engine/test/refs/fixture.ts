/** Refs over a model of committed metadata. */

import { createHooks, silentLogger } from '@srv/kernel';
import { noopMetrics } from '@srv/kernel/metrics';
import { MemoryKvStore } from '@srv/kernel/testing';
import { pinPrefix } from '../../src/refs/pins/stored-pins.js';
import { openRefs } from '../../src/refs/service.js';
import type { Hooks, KvStore } from '@srv/kernel';
import type { Metrics } from '@srv/kernel/metrics';
import type { Repository, StoredValue } from '../../src/refs/contract.js';
import type { Refs } from '../../src/refs/service.js';
import type { MemoryCommitted } from './memory-committed.js';

/** Milliseconds; short, so that clean-up happens while tests run. */
const grace = 20;

/** A store that two servers of a test may use, which know of each other. */
export function storeOfPeers(): MemoryKvStore & Pick<KvStore, 'isSharedWithPeers'> {
  return Object.assign(new MemoryKvStore('local', true), { isSharedWithPeers: true });
}

/** A database that other servers use as well, so that pins are written to it: `onPin` is awaited before each is. */
export class PinnedKv extends MemoryKvStore {
  onPin: () => Promise<void> = async () => {};

  constructor() {
    super('shared');
  }

  override async set(...args: Parameters<MemoryKvStore['set']>): Promise<void> {
    if (args[1].toString().startsWith(pinPrefix)) await this.onPin();
    return super.set(...args);
  }
}

export interface Instance {
  readonly service: Refs;
  readonly hooks: Hooks;
  stop(): Promise<void>;
}

interface InstanceOptions {
  readonly metrics?: Metrics;
  /** Default: reads fold nothing. */
  readonly foldAfter?: number;
}

export function instance(
  kv: KvStore,
  committed: MemoryCommitted,
  { metrics = noopMetrics, foldAfter = 0 }: InstanceOptions = {},
): Instance {
  const hooks = createHooks();
  const cache = { size: 1000, ttl: 5000, jitter: 0 };
  const { refs, stop } = openRefs({
    kv,
    committed,
    hooks,
    log: silentLogger,
    metrics,
    repositoryCache: cache,
    commitCache: cache,
    batchDelay: 3,
    rateLimit: 0,
    grace,
    undeleteDays: 7,
    foldAfter,
  });
  return { hooks, service: refs, stop };
}

export function newRepository(id = 'repo'): Parameters<Refs['addRepository']>[0] {
  return { id, storageNamespace: `mem://bucket/${id}`, defaultBranch: 'main', readOnly: false, bare: false, storageId: '' };
}

export function value(text: string): StoredValue {
  return { identity: Buffer.from(text), data: Buffer.from(`data of ${text}`) };
}

export function key(text: string): Buffer {
  return Buffer.from(text);
}

/** Everything visible at a ref: path -> identity. */
export async function contentsOf(service: Refs, repository: Repository, ref: string): Promise<Record<string, string>> {
  const view = await service.view(repository, ref);
  const found: Record<string, string> = {};
  try {
    await view.seek(Buffer.alloc(0));
    for (; view.current; await view.next()) found[view.current.key.toString()] = view.current.value.identity.toString();
  } finally {
    view.close();
  }
  return found;
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
