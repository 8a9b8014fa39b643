/** The whole engine on stores in memory. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Kernel, KvStore, Plugin } from '@srv/kernel';
import { createTestKernel } from '@srv/kernel/testing';
import blockMem from '@srv/block-mem/plugin';
import type { Catalog, ItemSerializer, TextPage } from '../../src/objects/contract.js';
import section from '../../src/config.js';
import plugin from '../../src/server/index.js';

interface Engine {
  readonly kernel: Kernel;
  readonly catalog: Catalog;
}

export async function openEngine(
  t: TestContext,
  config: Record<string, unknown> = {},
  kv?: KvStore,
  further: readonly Plugin[] = [],
): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  const kernel = await createTestKernel({
    plugins: [...further, { plugin: blockMem }, { plugin, section }],
    config: { 'committed.warm_up': false, 'committed.local_cache.dir': folder, ...config },
    ...(kv ? { kv } : {}),
  });
  t.after(async () => {
    await kernel.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return { kernel, catalog: kernel.services.get('catalog') };
}

/** A repository with a branch `main` and these objects uncommitted. */
export async function newRepository(catalog: Catalog, id = 'repo', ...paths: string[]): Promise<string> {
  await catalog.createRepository({ id, storageNamespace: `mem://bucket/${id}` });
  for (const path of paths) await catalog.putObject(id, 'main', path, Buffer.from(path));
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
  catalog: Catalog,
  repository: string,
  ref: string,
  request: { prefix?: string; delimiter?: string; amount?: number } = {},
): Promise<string[]> {
  const paths: string[] = [];
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await catalog.list(repository, ref, { ...request, after });
    paths.push(...results.map(item => item.path));
    if (!hasMore) return paths;
    after = nextOffset;
  }
}

export const commit = { committer: 'tester', message: 'message' };

export async function contentOf(catalog: Catalog, repository: string, ref: string, path: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of await catalog.open(repository, await catalog.getEntry(repository, ref, path))) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
