/** Large files go to the object store itself, in parts, by pre-signed URLs. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FaultProxy } from '@srv/test-servers';
import { noGateway, startGateway } from '@srv/test-servers/s3';
import { Cluster } from './cluster.js';
import { launchCli, temporaryFolder } from './programs.js';
import type { S3Server } from '@srv/test-servers/s3';

interface Stat {
  readonly checksum: string;
  readonly size_bytes: number;
}

describe('a large file and pre-signed URLs', { skip: noGateway }, () => {
  const home = temporaryFolder({ after });
  const file = join(home, 'large');
  const content = randomBytes(23 * 2 ** 20 + 7);
  let objects: S3Server;
  let proxy: FaultProxy;
  let cluster: Cluster;

  before(async () => {
    await writeFile(file, content);
    objects = await startGateway();
    proxy = await FaultProxy.open(objects.url);
    const env = { SRV_DATABASE_TYPE: 'local', SRV_DATABASE_LOCAL_PATH: join(home, 'kv'), SRV_BLOCKSTORE_S3_PRE_SIGNED_ENDPOINT: proxy.url };
    cluster = await Cluster.start({ home, stores: [objects, { env }], servers: 1 });
    await cluster.run('repo', 'create', 'srv://parts', `${objects.namespace}/parts`);
  });
  after(async () => {
    await cluster.kill();
    await proxy.close();
    await objects.close();
  });

  const stat = async (path: string): Promise<Stat> => (await cluster.json('fs', 'stat', `srv://parts/main/${path}`)) as Stat;

  async function expectContent(path: string): Promise<void> {
    const target = join(home, 'back');
    await cluster.run('fs', 'download', `srv://parts/main/${path}`, target);
    assert.ok((await readFile(target)).equals(content));
  }

  it('is sent in parts and comes back as it was', async () => {
    await cluster.run('fs', 'upload', 'srv://parts/main/whole', '-s', file);
    const { checksum, size_bytes } = await stat('whole');
    assert.match(checksum, /^[0-9a-f]{32}-5$/);
    assert.equal(size_bytes, content.length);
    await expectContent('whole');
  });

  it('a part whose connection breaks is sent again', async () => {
    proxy.delay = 150;
    const upload = launchCli(home, 'fs', 'upload', 'srv://parts/main/cut', '-s', file);
    let cuts = 0;
    while (cuts < 2 && (await Promise.race([upload.finished, sleep(120)])) === undefined) {
      proxy.cut();
      cuts++;
    }
    proxy.delay = 0;
    const { code, stderr } = await upload.finished;
    assert.equal(code, 0, stderr);
    assert.match((await stat('cut')).checksum, /-5$/);
    await expectContent('cut');
  });

  it('a store that takes no part fails the upload, and no object appears', async () => {
    proxy.refuse = true;
    const complaint = await cluster.fails('fs', 'upload', 'srv://parts/main/refused', '-s', file);
    proxy.refuse = false;
    assert.match(complaint, /ECONNRESET|socket hang up/);
    assert.match(await cluster.fails('fs', 'stat', 'srv://parts/main/refused'), /not found/i);
  });
});
