import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiError } from '@srv/engine/client';
import { startWholeServer } from './support/whole-server.js';
import type { WholeServer } from './support/whole-server.js';

const refused = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.status === status && message.test(error.message);

interface Described {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, { readonly content: object }>> }>>>
  >;
}

/** Members by the central directory, and whether each local header agrees: name to content. */
function membersOf(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  assert.ok(end >= 0, 'no end of a central directory');
  const members = new Map<string, Buffer>();
  let at = zip.readUInt32LE(end + 16);
  for (let i = 0; i < zip.readUInt16LE(end + 10); i++) {
    assert.equal(zip.toString('latin1', at, at + 4), 'PK\x01\x02');
    assert.equal(zip.readUInt16LE(at + 10), 0, 'stored');
    const [size, nameLength, extra, comment] = [
      zip.readUInt32LE(at + 24),
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
      zip.readUInt16LE(at + 32),
    ];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const local = zip.readUInt32LE(at + 42);
    const content = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    assert.equal(zip.toString('utf8', local + 30, local + 30 + nameLength), name);
    members.set(name, zip.subarray(content, content + size));
    at += 46 + nameLength + extra + comment;
  }
  return members;
}

describe('a folder as an archive', () => {
  let server: WholeServer;
  const main = { repository: 'lakes', ref: 'main' };
  const large = Buffer.alloc(9 << 20, 'large');

  before(async () => {
    server = await startWholeServer({ mode: 'internal' });
    const { admin } = server;
    await admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    for (const [path, body] of [
      ['a/1.txt', 'one'],
      ['a/b/2.txt', 'two'],
      ['a/b/', ''],
      ['a/../up', 'climbs'],
      ['a/größe', 'ü'],
      ['a/empty', ''],
      ['a/large', large],
      ['other', 'x'],
    ] as const)
      await admin.uploadObject({ repository: 'lakes', branch: 'main', path, body });
  });
  after(() => server.stop());

  const archive = async (input: { readonly path?: string; readonly recursive?: boolean }) => {
    const { body, headers } = await server.admin.getObjectsArchive({ ...main, ...input });
    const zip = Buffer.concat(await body.toArray());
    assert.equal(zip.length, Number(headers['content-length']));
    return { headers, members: membersOf(zip) };
  };

  it('has the type that the document of the API says', async () => {
    const { headers } = await archive({});
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Described;
    const described = document.paths['/repositories/{repository}/refs/{ref}/objects/archive']?.['get']?.responses['200']?.content;
    assert.deepEqual(Object.keys(described ?? {}), [headers['content-type']]);
  });

  it('has every object below it under a name that is safe to unpack', async () => {
    const { headers, members } = await archive({ path: 'a' });
    assert.equal(headers['content-disposition'], 'attachment; filename="a.zip"');
    assert.deepEqual([...members.keys()].toSorted(), ['1.txt', '__/up', 'b/', 'b/2.txt', 'empty', 'größe', 'large'].toSorted());
    assert.equal(members.get('b/2.txt')?.toString(), 'two');
    assert.ok(members.get('large')?.equals(large));
  });

  it('without its folders has its own objects only', async () => {
    const { members } = await archive({ path: 'a/', recursive: false });
    assert.deepEqual([...members.keys()].toSorted(), ['1.txt', 'empty', 'größe', 'large']);
  });

  it('of a whole ref is named after the repository', async () => {
    const { headers, members } = await archive({});
    assert.equal(headers['content-disposition'], 'attachment; filename="lakes.zip"');
    assert.ok(members.has('other') && members.has('a/1.txt'));
  });

  it('with an object whose bytes are lost is refused, or cut off where it would continue', async () => {
    const { admin } = server;
    const stage = (path: string) =>
      admin.stageObject({
        repository: 'lakes',
        branch: 'main',
        path,
        body: { physical_address: 'local://lakes/data/lost', checksum: 'c', size_bytes: 3 },
      });
    await stage('lost/x');
    await assert.rejects(admin.getObjectsArchive({ ...main, path: 'lost' }), refused(410, /No data/));
    await admin.uploadObject({ repository: 'lakes', branch: 'main', path: 'half/a', body: 'a' });
    await stage('half/b');
    await assert.rejects(archive({ path: 'half' }));
    for (const path of ['lost/x', 'half/b']) await admin.deleteObject({ repository: 'lakes', branch: 'main', path });
  });

  it('is refused when it is empty or holds an object that may not be read', async () => {
    const { admin } = server;
    await assert.rejects(admin.getObjectsArchive({ ...main, path: 'none' }), refused(404, /"none\/"/));
    const resource = 'arn:lakefs:fs:::repository/lakes';
    await admin.createPolicy({
      body: {
        id: 'AllButLarge',
        statement: [
          { effect: 'allow', action: ['fs:*'], resource: `${resource}*` },
          { effect: 'deny', action: ['fs:ReadObject'], resource: `${resource}/object/a/large` },
        ],
      },
    });
    await admin.createUser({ body: { id: 'guest' } });
    await admin.attachPolicyToUser({ userId: 'guest', policyId: 'AllButLarge' });
    const key = await admin.createCredentials({ userId: 'guest' });
    const guest = server.client({ accessKeyId: key.access_key_id, secretAccessKey: key.secret_access_key });
    await assert.rejects(
      guest.getObjectsArchive({ ...main, path: 'a' }),
      refused(401, /fs:ReadObject on arn:lakefs:fs:::repository\/\w+\/object\/a\/./),
    );
    const { body } = await guest.getObjectsArchive({ ...main, path: 'a/b' });
    assert.deepEqual([...membersOf(Buffer.concat(await body.toArray())).keys()], ['2.txt']);
  });
});
