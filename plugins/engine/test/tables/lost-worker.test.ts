import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { encodeValue } from '../../src/tables/format/index.js';
import { WorkerPool } from '../../src/tables/workers/worker-pool.js';
import type { Worker } from 'node:worker_threads';
import type { Change } from '../../src/tables/algorithms/index.js';

test('a comparison whose worker dies while a page of it is read fails, and the next one has another worker', async () => {
  const folder = scratchFolder();
  const path = (id: string): string => join(folder, id);
  const files = {
    workspace: folder,
    store: (_: string, id: string, file: string) => rename(file, path(id)),
    path: async (_: string, id: string) => path(id),
    discard: async () => undefined,
  };
  const rules = { minSize: 0, maxSize: 20 << 20, raggedness: 50_000 };
  const openReaders = { range: 4, 'meta-range': 4 };
  const workers: Worker[] = [];
  process.on('worker', worker => workers.push(worker));
  const pool = new WorkerPool({ threads: 1, uploaders: 1, rules, openReaders, files: { range: files, 'meta-range': files } });
  async function* changes(): AsyncGenerator<readonly Change[]> {
    for (let page = 0; page < 20; page++)
      yield Array.from({ length: 500 }, (_, i) => ({
        key: Buffer.from(String(page * 500 + i).padStart(8, '0')),
        value: encodeValue({ identity: Buffer.from(`${i}`), data: Buffer.from('data') }),
      }));
  }
  const apply = { kind: 'apply', base: '', staged: false, properties: {} } as const;
  const { metarangeId } = await pool.run<{ metarangeId: string }>(apply, { namespace: 'mem://x', changes: changes() });
  const compare = () => pool.stream({ kind: 'diff', left: '', right: metarangeId, exact: false }, { namespace: 'mem://x' });
  const broken = compare();
  const first = await broken.next();
  assert.ok(!first.done && first.value.length > 0);
  await workers[0]?.terminate();
  await assert.rejects(broken.next(), /a metadata worker failed/);
  let compared = 0;
  for await (const page of compare()) compared += page.length;
  assert.equal(compared, 10_000);
  assert.equal(workers.length, 2);
  await pool.close();
});
