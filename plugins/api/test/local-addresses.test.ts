/** Objects that point at files: only where the store may read. */
import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startWholeServer } from './support/whole-server.js';
import type { WholeServer } from './support/whole-server.js';

describe('addresses of files', () => {
  let server: WholeServer;
  const place = { repository: 'lakes', branch: 'main' };
  const stage = (physical_address: string, checksum = 'a') =>
    server.admin.stageObject({ ...place, path: 'staged', body: { physical_address, checksum, size_bytes: 3 } });
  const linkTo = (physical_address: string) =>
    server.admin.linkPhysicalAddress({
      ...place,
      path: 'linked',
      body: { staging: { physical_address }, checksum: 'a', size_bytes: 3 },
    });

  before(async () => {
    server = await startWholeServer();
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    await mkdir(join(server.folder, 'outside'), { recursive: true });
    await writeFile(join(server.folder, 'outside', 'file'), 'abc');
  });
  after(() => server.stop());

  it('outside the folders of the store are refused at once', async () => {
    const refused = [
      'local:///not_allowed',
      'local:///etc/passwd',
      `local://${server.folder}/outside-too/file`,
      `local://${server.folder}`,
    ];
    for (const address of refused)
      for (const write of [stage, linkTo]) await assert.rejects(write(address), { status: 403, message: /forbidden/ }, address);
    const malformed = ['local://relative/path', `local://${server.folder}/outside/../file`, `local://${server.folder}/block/../../x`];
    for (const address of malformed) for (const write of [stage, linkTo]) await assert.rejects(write(address), { status: 400 }, address);
    assert.deepEqual((await server.admin.diffBranch(place)).results, [], 'nothing was staged');
  });

  it('through a symbolic link that leads out of them, or to an object of the store, are refused at once', async () => {
    const link = join(server.folder, 'outside', 'link');
    for (const [target, message] of [
      [server.folder, /a symbolic link leads out/],
      [join(server.folder, 'block'), /it leads into the folder of the block store; use local:/],
    ] as const) {
      await symlink(target, link);
      for (const name of ['file', 'new'])
        for (const write of [stage, linkTo]) await assert.rejects(write(`local://${link}/${name}`), { status: 403, message }, target);
      await rm(link);
    }
    assert.deepEqual((await server.admin.diffBranch(place)).results, [], 'nothing was staged');
  });

  it('inside them are taken, without a checksum where objects are staged', async () => {
    const address = `local://${server.folder}/outside/file`;
    assert.equal((await linkTo(address)).physical_address, address);
    assert.deepEqual((({ checksum, size_bytes }) => ({ checksum, size_bytes }))(await stage(address, '')), { checksum: '', size_bytes: 3 });
    const { body } = await server.admin.getObject({ repository: 'lakes', ref: 'main', path: 'staged' });
    assert.equal(Buffer.concat(await body.toArray()).toString(), 'abc');
    assert.equal((await server.admin.statObject({ repository: 'lakes', ref: 'main', path: 'staged' })).checksum, '');
  });
});
