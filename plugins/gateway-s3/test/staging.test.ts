/** What becomes of stored bytes whose entry cannot be staged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SrvError } from '@srv/kernel';
import { stageStored } from '../src/server/operations/entries.js';
import { S3Error } from '../src/server/protocol/errors.js';
import { createRepository, startServer } from './support/server.js';
import type { ObjectContext } from '../src/server/operations/context.js';

test('they go when nothing refers to them, and stay when the entry may have been written', async t => {
  const server = await startServer();
  t.after(() => server.stop());
  await createRepository(server, 'repo');
  const { services } = server.kernel;
  const [real, block] = [services.get('engine'), services.get('block')];
  const repository = await real.getRepository('repo');
  const outcome = async (ref: string, error?: SrvError): Promise<{ kept: boolean; thrown: unknown }> => {
    const address = real.allocateAddress();
    const pointer = { namespace: repository.storageNamespace, identifier: address, identifierType: 1 as const };
    await block.put(pointer, Buffer.from('content'));
    const stageEntry: typeof real.stageEntry = (...given) => (error ? Promise.reject(error) : real.stageEntry(...given));
    const engine = { ...real, stageEntry };
    const context = { engine, block, repository, ref, path: 'x', log: server.kernel.log } as unknown as ObjectContext;
    const staged = stageStored(context, { address, size: 7, etag: 'e' });
    const thrown = await staged.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return { kept: await block.exists(pointer), thrown };
  };
  const lost = await outcome('main', new SrvError('unavailable', 'the answer was lost'));
  assert.equal(lost.kept, true);
  assert.ok(lost.thrown instanceof SrvError);
  const nowhere = await outcome('nobranch');
  assert.equal(nowhere.kept, false);
  assert.ok(nowhere.thrown instanceof S3Error && nowhere.thrown.code === 'NoSuchBucket');
  assert.deepEqual(await outcome('main'), { kept: true, thrown: undefined });
});
