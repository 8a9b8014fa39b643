/** Runs of the built-in collector, by name of the repository. */
import { createReadStream } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pageSize } from '@srv/lib-records';
import { removeOwnFolder } from '@srv/lib-records/owned-folder';
import { objectIn } from '../mark/object-lines.js';
import { collectingRun } from '../run/collected-objects.js';
import { explain } from '../run/explain.js';
import { fetchList } from '../run/garbage-list.js';
import { purgeNamespace } from '../run/purge.js';
import { restoreRun } from '../run/quarantine.js';
import { presentRun } from '../run/run-record.js';
import { Sorter } from '../worker/sorter.js';
import type { Engine, Page } from '@srv/engine/contract';
import type { GarbageCollection } from '../contract.js';
import type { Collector, CollectorOptions } from '../run/collector.js';

interface RunsOptions extends CollectorOptions {
  readonly engine: Engine;
  readonly collector: Collector;
}

type Runs = Pick<GarbageCollection, 'start' | 'sweep' | 'getRun' | 'listRuns' | 'cancel' | 'candidates' | 'restore' | 'explain' | 'purge'>;

export function createRuns(options: RunsOptions): Runs {
  const { engine, collector } = options;
  const { records } = collector;
  const sources = { ...options, records };
  return {
    start: async (id, request) => collector.start(await engine.getRepository(id), request),
    sweep: async (id, run, request = {}) => collector.sweep(await engine.getRepository(id), run, request),
    getRun: async (id, run) => presentRun(await records.get(await engine.getRepository(id), run)),
    listRuns: async (id, request = {}) => records.page(await engine.getRepository(id), request),
    cancel: async (id, run) => collector.cancel(await engine.getRepository(id), run),
    async candidates(id, run, { after = '', amount } = {}) {
      const repository = await engine.getRepository(id);
      const { source } = await records.get(repository, run);
      const folder = await mkdtemp(join(tmpdir(), 'srv-gc-'));
      try {
        const path = join(folder, 'list');
        await fetchList(repository, source, path, options);
        return await pageOf(path, after, pageSize(amount));
      } finally {
        await removeOwnFolder(folder, options.log);
      }
    },
    async restore(id, run, prefix = '') {
      const repository = await engine.getRepository(id);
      return restoreRun(repository, await records.get(repository, run), prefix, sources);
    },
    async explain(id, address) {
      const repository = await engine.getRepository(id);
      const sorter = new Sorter(1);
      const collectedBy = async (key: string): Promise<string | undefined> => (await collectingRun(repository, key, sources))?.id;
      try {
        return await explain(repository, address, { ...options, sorter }, { minAge: options.minAge, collectedBy });
      } finally {
        await sorter.close();
      }
    },
    purge: (storageNamespace, storageId = '') => purgeNamespace({ storageNamespace, storageId }, options),
  };
}

async function pageOf(path: string, after: string, amount: number): Promise<Page<string>> {
  const results: string[] = [];
  const input = createReadStream(path);
  try {
    for await (const line of createInterface({ input })) {
      if (line === '') continue;
      const { key } = objectIn(line);
      if (after !== '' && Buffer.compare(Buffer.from(key), Buffer.from(after)) <= 0) continue;
      if (results.length === amount) return { results, hasMore: true, nextOffset: results.at(-1) ?? '' };
      results.push(key);
    }
  } finally {
    input.destroy();
  }
  return { results, hasMore: false, nextOffset: '' };
}
