/** `If-Match` and `If-None-Match` of every operation that writes one object. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiError } from '@srv/engine/client';
import { startWholeServer } from './support/whole-server.js';
import type { WholeServer } from './support/whole-server.js';

type Conditions = { readonly 'If-Match'?: string; readonly 'If-None-Match'?: string };
type Write = (path: string, conditions: Conditions) => Promise<unknown>;

const main = { repository: 'lakes', branch: 'main' };
let server: WholeServer;
before(async () => {
  server = await startWholeServer();
  await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  await server.admin.uploadObject({ ...main, path: 'source', body: 'new' });
});
after(() => server.stop());

const writes: Readonly<Record<string, Write>> = {
  upload: (path, conditions) => server.admin.uploadObject({ ...main, ...conditions, path, body: 'new' }),
  copy: (path, conditions) => server.admin.copyObject({ ...main, ...conditions, dest_path: path, body: { src_path: 'source' } }),
  async stage(path, conditions) {
    const { physical_address, checksum, size_bytes = 0 } = await statOf('source');
    return server.admin.stageObject({ ...main, ...conditions, path, body: { physical_address, checksum, size_bytes } });
  },
};
const statOf = (path: string) => server.admin.statObject({ repository: 'lakes', ref: 'main', path });
const contentOf = async (path: string): Promise<string> =>
  Buffer.concat(await (await server.admin.getObject({ repository: 'lakes', ref: 'main', path })).body.toArray()).toString();
const refused = (status: number) => (error: unknown) => error instanceof ApiError && error.status === status;
/** @returns the tag, in quotes. */
async function put(path: string): Promise<string> {
  return `"${(await server.admin.uploadObject({ ...main, path, body: 'old' })).checksum}"`;
}

for (const [name, write] of Object.entries(writes))
  describe(`the conditions of the operation ${name}`, () => {
    it('If-None-Match: * never replaces', async () => {
      await put(`${name}/there`);
      await assert.rejects(write(`${name}/there`, { 'If-None-Match': '*' }), refused(412));
      assert.equal(await contentOf(`${name}/there`), 'old');
      await write(`${name}/absent`, { 'If-None-Match': '*' });
      assert.equal(await contentOf(`${name}/absent`), 'new');
    });

    it('If-Match replaces what the caller has seen alone', async () => {
      const path = `${name}/seen`;
      const tag = await put(path);
      for (const other of ['"other"', `W/${tag}`]) await assert.rejects(write(path, { 'If-Match': other }), refused(412));
      assert.equal(await contentOf(path), 'old');
      await write(path, { 'If-Match': tag });
      assert.equal(await contentOf(path), 'new');
      await assert.rejects(write(`${name}/never`, { 'If-Match': tag }), refused(412));
    });

    it('others are refused, not ignored', async () => {
      const path = `${name}/others`;
      const tag = await put(path);
      await assert.rejects(write(path, { 'If-None-Match': '"x"' }), refused(501));
      await assert.rejects(write(path, { 'If-Match': `${tag}, "x"` }), refused(501));
      assert.equal(await contentOf(path), 'old');
    });
  });

describe('the conditions of a delete', () => {
  const remove: Write = (path, conditions) => server.admin.deleteObject({ ...main, ...conditions, path });

  it('If-Match deletes what the caller has seen alone, committed or not', async () => {
    const tag = await put('deleted/a');
    for (const isCommitted of [false, true]) {
      if (isCommitted) await server.admin.commit({ ...main, body: { message: 'm' } });
      for (const other of ['"other"', `W/${tag}`]) await assert.rejects(remove('deleted/a', { 'If-Match': other }), refused(412));
      assert.equal(await contentOf('deleted/a'), 'old');
    }
    await remove('deleted/a', { 'If-Match': tag });
    await assert.rejects(statOf('deleted/a'), refused(404));
    await assert.rejects(remove('deleted/a', { 'If-Match': tag }), refused(412));
    await remove('deleted/a', {});
  });

  it('If-None-Match: * leaves an object that is there', async () => {
    await put('deleted/b');
    await assert.rejects(remove('deleted/b', { 'If-None-Match': '*' }), refused(412));
    assert.equal(await contentOf('deleted/b'), 'old');
    await remove('deleted/absent', { 'If-None-Match': '*' });
  });

  it('others are refused, and an unknown branch is not found', async () => {
    await put('deleted/c');
    await assert.rejects(remove('deleted/c', { 'If-None-Match': '"x"' }), refused(501));
    await assert.rejects(server.admin.deleteObject({ ...main, branch: 'none', path: 'a', 'If-Match': '"x"' }), refused(404));
    assert.equal(await contentOf('deleted/c'), 'old');
  });
});
