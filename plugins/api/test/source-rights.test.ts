/** What an address of the block store makes readable: nothing that its caller could not read before. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { raw } from './support/raw.js';
import { startWholeServer } from './support/whole-server.js';
import type { Client } from '@srv/engine/client';
import type { WholeServer } from './support/whole-server.js';

const allow = (resource: string, ...action: string[]) => ({ effect: 'allow' as const, action, resource });
const deny = (resource: string, ...action: string[]) => ({ effect: 'deny' as const, action, resource });
const objects = (repository: string, below = '*') => `arn:lakefs:fs:::repository/${repository}/object/${below}`;
const contents = { checksum: 'a', size_bytes: 3 };

describe('the source of a staged, linked or imported object', () => {
  let server: WholeServer;
  /** May do everything but read `secret/` of `lakes` and anything of `closed`. */
  let limited: Client;
  /** May write and read everything, but not import. */
  let writer: Client;
  let authorization = '';
  let secret = '';
  let open = '';
  let closed = '';
  let outside = '';
  const place = { repository: 'lakes', branch: 'main' };
  const stage = (client: Client, physical_address: string, path = 'pub/x') =>
    client.stageObject({ ...place, path, body: { physical_address, ...contents } });
  const link = (client: Client, physical_address: string, path = 'pub/x') =>
    client.linkPhysicalAddress({ ...place, path, body: { staging: { physical_address }, ...contents } });
  const forbidden = { status: 401 };

  before(async () => {
    server = await startWholeServer({ mode: 'internal' });
    outside = join(server.folder, 'outside');
    await mkdir(outside, { recursive: true });
    await writeFile(join(outside, 'file'), 'abc');
    for (const name of ['lakes', 'closed']) await server.admin.createRepository({ body: { name, storage_namespace: `local://${name}` } });
    const put = async (repository: string, path: string): Promise<string> => {
      await server.admin.uploadObject({ repository, branch: 'main', path, body: Buffer.from('abc') });
      return (await server.admin.statObject({ repository, ref: 'main', path })).physical_address;
    };
    secret = await put('lakes', 'secret/x');
    open = await put('lakes', 'pub/open');
    closed = await put('closed', 'x');
    limited = await clientOf('limited', [
      allow('*', 'fs:*'),
      deny(objects('lakes', 'secret/*'), 'fs:ReadObject'),
      deny(objects('closed'), 'fs:*'),
    ]);
    writer = await clientOf('writer', [allow('*', 'fs:Read*', 'fs:List*', 'fs:WriteObject', 'fs:DeleteObject', 'fs:CreateCommit')]);
  });
  after(() => server.stop());

  it('must be readable where it lies in the repository', async () => {
    await assert.rejects(stage(limited, secret), { status: 401, message: /copy the object by its path instead/ });
    await assert.rejects(link(limited, secret), { status: 400, message: /not signed/ });
    await assert.rejects(limited.statObject({ repository: 'lakes', ref: 'main', path: 'pub/x' }), { status: 404 });
    await limited.copyObject({ ...place, dest_path: 'pub/copy', body: { src_path: 'pub/open' } });
    await stage(writer, secret, 'pub/allowed');
    await stage(server.admin, secret, 'pub/admin');
  });

  it('may be the one that the path has already, or that this server has made for it', async () => {
    assert.equal((await stage(limited, open, 'pub/open')).physical_address, open);
    await assert.rejects(stage(limited, open, 'pub/elsewhere'), forbidden);
    await assert.rejects(stage(limited, secret, 'secret/x'), forbidden);
    const { physical_address = '' } = await limited.getPhysicalAddress({ ...place, path: 'pub/new' });
    await assert.rejects(stage(limited, physical_address, 'pub/other'), forbidden);
    assert.equal((await stage(limited, physical_address, 'pub/new')).physical_address, physical_address);
  });

  it('must be readable where it lies in another repository', async () => {
    for (const write of [stage, link]) await assert.rejects(write(limited, closed), { status: 401, message: /repository closed/ });
    await stage(writer, closed, 'pub/closed');
    await link(writer, closed, 'pub/closed');
    const sources = [closed, closed.slice(0, closed.lastIndexOf('/') + 1), closed.slice(0, closed.indexOf('/closed/') + 1)];
    for (const path of sources) {
      const type = path.endsWith('/') ? 'common_prefix' : 'object';
      const body = { paths: [{ path, type, destination: 'in/' }], commit: { message: 'm' } };
      const address = '/repositories/lakes/branches/main/import';
      const { status, text } = await raw(server, 'POST', address, {
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      assert.equal(status, 401, path);
      assert.match(text, /storage namespace of repository (closed|lakes)/);
    }
  });

  it('takes the right to import where it lies outside', async () => {
    const address = `local://${outside}/file`;
    for (const write of [stage, link]) {
      await assert.rejects(write(writer, address), { status: 401, message: /fs:ImportFromStorage/ });
      await write(limited, address, 'pub/imported');
    }
  });

  async function clientOf(id: string, statement: readonly object[]): Promise<Client> {
    const { admin } = server;
    await admin.createUser({ body: { id } });
    await admin.createPolicy({ body: { id, statement: statement as never } });
    await admin.attachPolicyToUser({ userId: id, policyId: id });
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = await admin.createCredentials({ userId: id });
    if (id === 'limited') authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64')}`;
    return server.client({ accessKeyId, secretAccessKey });
  }
});
