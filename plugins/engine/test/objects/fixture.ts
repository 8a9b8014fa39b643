/** The whole engine on stores in memory. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import blockMem from '@srv/block-mem/plugin';
import { createTestKernel, until } from '@srv/kernel/testing';
import section from '../../src/config.js';
import plugin from '../../src/server/index.js';
import type { TestContext } from 'node:test';
import type { Kernel, KvStore, Plugin } from '@srv/kernel';
import type { Engine, ItemSerializer, TextPage } from '../../src/contract.js';

interface OpenEngine {
  readonly kernel: Kernel;
  readonly engine: Engine;
}

export async function openEngine(
  t: TestContext,
  config: Record<string, unknown> = {},
  kv?: KvStore,
  further: readonly Plugin[] = [],
): Promise<OpenEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  const kernel = await createTestKernel({
    plugins: [...further, { plugin: blockMem }, { plugin, section }],
    config: { 'committed.warm_up': false, 'committed.local_cache.dir': folder, ...config },
    kv,
  });
  t.after(async () => {
    await kernel.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return { kernel, engine: kernel.services.get('engine') };
}

/** A repository with a branch `main` and these objects uncommitted. */
export async function newRepository(engine: Engine, id = 'repo', ...paths: string[]): Promise<string> {
  await engine.createRepository({ id, storageNamespace: `mem://bucket/${id}` });
  for (const path of paths) await engine.putObject(id, 'main', path, Buffer.from(path));
  return id;
}

/** Writes items as JSON. */
export const serialize: ItemSerializer = item => JSON.stringify(item);

/** Items of a page that {@link serialize} wrote. */
export function itemsOf({ pieces, count }: TextPage): unknown[] {
  const items = JSON.parse(`[${pieces.map(String).join(',')}]`) as unknown[];
  assert.equal(items.length, count);
  return items;
}

/** All paths of a listing, page by page. */
export async function listPaths(
  engine: Engine,
  repository: string,
  ref: string,
  request: { prefix?: string; delimiter?: string; amount?: number } = {},
): Promise<string[]> {
  const paths: string[] = [];
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await engine.list(repository, ref, { ...request, after });
    paths.push(...results.map(item => item.path));
    if (!hasMore) return paths;
    after = nextOffset;
  }
}

export const commit = { committer: 'tester', message: 'message' };

export async function contentOf(engine: Engine, repository: string, ref: string, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await engine.open(repository, await engine.getEntry(repository, ref, path))) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** The status of a task, once it has ended. */
export function untilDone<T extends { done: boolean }>(poll: () => Promise<T>): Promise<T> {
  return until(async () => {
    const status = await poll();
    return status.done ? status : undefined;
  });
}
