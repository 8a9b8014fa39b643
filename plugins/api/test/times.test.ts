/** Times that clients send, in Unix seconds. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startWholeServer } from './support/whole-server.js';
import type { WholeServer } from './support/whole-server.js';

const main = { repository: 'lakes', branch: 'main' };
const last = 253_402_300_799;
const refused = [1_764_500_000_000, last + 1, -1, Number.MAX_SAFE_INTEGER, 1e18];

let server: WholeServer;
before(async () => {
  server = await startWholeServer();
  await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  await server.admin.uploadObject({ ...main, path: 'source', body: 'abc' });
});
after(() => server.stop());

const facts = { checksum: 'a', size_bytes: 3 };
const writes = {
  async stageObject(path: string, mtime: number) {
    const { physical_address } = await server.admin.statObject({ repository: 'lakes', ref: 'main', path: 'source' });
    return server.admin.stageObject({ ...main, path, body: { ...facts, physical_address, mtime } });
  },
  async linkPhysicalAddress(path: string, mtime: number) {
    const { physical_address = '' } = await server.admin.getPhysicalAddress({ ...main, path });
    return server.admin.linkPhysicalAddress({ ...main, path, body: { ...facts, staging: { physical_address }, mtime } });
  },
};

for (const [name, write] of Object.entries(writes))
  test(`${name}: an mtime after year 9999, such as one in milliseconds, is refused`, async () => {
    for (const mtime of refused)
      await assert.rejects(write('far', mtime), {
        status: 400,
        message: new RegExp(
          `mtime.* is ${String(mtime).replace('+', '.')}: it must be a time in Unix seconds, 0 to ${last}; divide milliseconds`,
        ),
      });
    await assert.rejects(server.admin.statObject({ repository: 'lakes', ref: 'main', path: 'far' }), { status: 404 });
    for (const mtime of [0, 1_764_500_000, last]) {
      assert.equal((await write(`${name}-${mtime}`, mtime)).mtime, mtime);
      assert.equal((await server.admin.statObject({ repository: 'lakes', ref: 'main', path: `${name}-${mtime}` })).mtime, mtime);
    }
  });

test('the date of a commit is refused in the same words', async () => {
  for (const date of refused)
    await assert.rejects(server.admin.commit({ ...main, body: { message: 'far', date, allow_empty: true } }), {
      status: 400,
      message: /date.* is \S+: it must be a time in Unix seconds, 0 to 253402300799; divide milliseconds by 1000/,
    });
});
