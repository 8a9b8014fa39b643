/** Objects that benchmarks of the engine stage: they lie outside, so nothing is written to the block store. */
import { identifierType } from '@srv/lib-stores/block';
import type { Engine } from '@srv/engine/contract';

/** Objects staged at a time. */
export const parallel = 500;
export const committer = { committer: 'bench', message: 'bench' };

/** Neighbours of a folder lie this many numbers apart. */
export const folders = 10;

export function pathOf(i: number): string {
  return `data/set-${String(i % folders).padStart(3, '0')}/part-${String(i).padStart(8, '0')}.parquet`;
}

/** Stages objects that lie outside; nothing is written to the block store. */
export async function stage(engine: Engine, repository: string, branch: string, paths: Iterable<string>, version = 0): Promise<void> {
  const owner = await engine.getRepository(repository);
  let batch: Promise<unknown>[] = [];
  for (const path of paths) {
    const request = {
      address: `local:///outside/${path}`,
      addressType: identifierType.full,
      size: 1000 + version,
      etag: 'd41d8cd98f00b204e9800998ecf8427e',
    };
    batch.push(engine.stageEntry(owner, branch, path, request));
    if (batch.length < parallel) continue;
    await Promise.all(batch);
    batch = [];
  }
  await Promise.all(batch);
}

/** Neighbours in one folder with a step of `folders`. */
export function* paths(count: number, from = 0, step = 1): Generator<string> {
  for (let i = 0; i < count; i++) yield pathOf(from + i * step);
}
