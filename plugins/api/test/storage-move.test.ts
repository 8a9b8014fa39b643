/** Objects whose repository moves to another storage namespace while they are staged: their bytes are in the one that it has left. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiError } from '@srv/engine/client';
import { until } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { startWholeServer } from './support/whole-server.js';
import type { TestContext } from 'node:test';
import type { WholeServer } from './support/whole-server.js';

let server: WholeServer;
let moves = 0;
const namespace = () => `mem://lakes-${moves}`;
before(async () => {
  server = await startWholeServer({
    store: 'signing',
    settings: { 'graveler.reposiory_cache.ttl': '30ms', 'graveler.reposiory_cache.jitter': '0s' },
  });
  await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: namespace() } });
});
after(() => server.stop());

/** The repository moves right before an entry is staged. */
function movesBeforeStaging(t: TestContext): void {
  const engine = server.kernel.services.get('engine');
  const stageEntry = engine.stageEntry.bind(engine);
  t.mock.method(engine, 'stageEntry', async (...entry: Parameters<typeof stageEntry>) => {
    moves++;
    await engine.startStorageMove('lakes', { storageId: '', storageNamespace: namespace() });
    await until(async () => !(await engine.storageMove('lakes')).isRunning);
    assert.equal((await engine.storageMove('lakes')).phase, 'done');
    return stageEntry(...entry);
  });
}

const pointerTo = (identifier: string) => ({ namespace: namespace(), identifier, identifierType: identifierType.full });

/** Each stores bytes, and returns the request that stages them. */
const doors: Readonly<Record<string, (path: string) => Promise<() => Promise<unknown>>>> = {
  async completePresignMultipartUpload(path) {
    const place = { repository: 'lakes', branch: 'main', path };
    const { upload_id: uploadId, physical_address } = await server.admin.createPresignMultipartUpload(place);
    const { etag } = await server.kernel.services.get('block').uploadPart(pointerTo(physical_address), uploadId, 1, Buffer.from('bytes'));
    const parts = [{ part_number: 1, etag }];
    return () => server.admin.completePresignMultipartUpload({ ...place, uploadId, body: { physical_address, parts } });
  },
  async linkPhysicalAddress(path) {
    const place = { repository: 'lakes', branch: 'main', path };
    const { physical_address = '' } = await server.admin.getPhysicalAddress(place);
    await server.kernel.services.get('block').put(pointerTo(physical_address), Buffer.from('bytes'));
    return () => server.admin.linkPhysicalAddress({ ...place, body: { staging: { physical_address }, checksum: 'c', size_bytes: 5 } });
  },
  async stageObject(path) {
    const place = { repository: 'lakes', branch: 'main', path };
    const { physical_address = '' } = await server.admin.getPhysicalAddress(place);
    await server.kernel.services.get('block').put(pointerTo(physical_address), Buffer.from('bytes'));
    return () => server.admin.stageObject({ ...place, body: { physical_address, checksum: 'c', size_bytes: 5 } });
  },
};

for (const [operation, store] of Object.entries(doors))
  test(`${operation} is refused when the repository moves meanwhile`, async t => {
    const stage = await store(operation);
    movesBeforeStaging(t);
    await assert.rejects(stage(), (error: unknown) => error instanceof ApiError && error.status === 503 && /is moving/.test(error.message));
    await assert.rejects(
      server.admin.statObject({ repository: 'lakes', ref: 'main', path: operation }),
      (error: unknown) => error instanceof ApiError && error.status === 404,
    );
  });
