/** Uploads past the server to Azure Blob Storage and Google Cloud Storage, as their stand-ins let browsers in. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { startAzurite } from '@srv/test-servers/azure';
import { needsChromium } from '@srv/test-servers/chromium';
import { startGs } from '@srv/test-servers/gs';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

interface Store {
  readonly plugin: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly namespace: string;
  readonly url: string;
  /** The rules for browsers that the README names. @param origin of the page. */
  allow(origin: string): Promise<void>;
  forbid(): Promise<void>;
  close(): Promise<void>;
}

async function openAzure(): Promise<Store> {
  const azurite = await startAzurite();
  const service = new BlobServiceClient(azurite.url, new StorageSharedKeyCredential(azurite.account, azurite.accessKey));
  return {
    plugin: 'block-azure',
    config: {
      'blockstore.type': 'azure',
      'blockstore.azure.storage_account': azurite.account,
      'blockstore.azure.storage_access_key': azurite.accessKey,
      'blockstore.azure.domain': 'azurite.test',
      'blockstore.azure.test_endpoint_url': azurite.url,
      'blockstore.azure.disable_pre_signed_ui': false,
    },
    namespace: `${await azurite.createContainer('lakes')}/data`,
    url: azurite.url,
    async allow(allowedOrigins) {
      const rule = { allowedMethods: 'PUT', allowedHeaders: 'content-type,x-ms-blob-type', exposedHeaders: 'ETag,Content-MD5' };
      await service.setProperties({ cors: [{ ...rule, allowedOrigins, maxAgeInSeconds: 0 }] });
    },
    async forbid() {
      await service.setProperties({ cors: [] });
    },
    close: () => azurite.close(),
  };
}

async function openGs(): Promise<Store> {
  const gs = await startGs();
  const bucket = 'lakes-bucket';
  const setCors = async (cors: readonly object[]): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(`${gs.url}/storage/v1/b/${bucket}`, { method: 'PATCH', headers, body: JSON.stringify({ cors }) });
    assert.equal(status, 200);
  };
  return {
    plugin: 'block-gs',
    config: {
      'blockstore.type': 'gs',
      'blockstore.gs.credentials_json': gs.credentialsJson,
      'blockstore.gs.test_endpoint_url': gs.url,
      'blockstore.gs.disable_pre_signed_ui': false,
    },
    namespace: `${await gs.createBucket(bucket)}/data`,
    url: gs.url,
    allow: origin => setCors([{ origin: [origin], method: ['PUT'], responseHeader: ['Content-Type', 'ETag'] }]),
    forbid: () => setCors([]),
    close: () => gs.close(),
  };
}

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
const small = Buffer.from('direct ü\n');
/** Three parts, where the store takes parts. */
const large = randomBytes(17 * 2 ** 20);

for (const [name, open, checksumOfLarge] of [
  ['Azure', openAzure, /^.{1,64}$/],
  ['Google', openGs, /^[0-9a-f]{32}-3$/],
] as const)
  describe(`uploads past the server to ${name}, in Chromium`, { skip: needsChromium }, () => {
    let store: Store;
    let stage: Stage;
    let page: Page;
    const toStore: string[] = [];
    const toServer: string[] = [];
    before(async () => {
      store = await open();
      stage = await setStage({ plugins: [store.plugin], config: store.config });
      ({ page } = stage);
      await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: store.namespace } });
      page.on('request', request => {
        if (request.method() === 'PUT' && request.url().startsWith(store.url)) toStore.push(request.url());
        if (request.method() === 'POST' && request.url().includes('/branches/main/objects?')) toServer.push(request.url());
      });
    });
    after(async () => {
      await stage?.close();
      await store?.close();
    });

    const dialog = () => page.getByRole('dialog');
    const upload = async (file: string, buffer: Buffer, mimeType: string): Promise<void> => {
      await stage.open('repositories/lakes/objects');
      await page.getByRole('button', { name: 'Upload' }).first().click();
      await dialog()
        .locator('input[type=file][aria-label=Files]')
        .setInputFiles([{ name: file, mimeType, buffer }]);
      await dialog().getByRole('button', { name: 'Upload 1 File' }).click();
    };
    const stored = async (path: string): Promise<Buffer> => {
      const { body } = await stage.client.getObject({ repository: 'lakes', ref: 'main', path });
      return Buffer.concat(await body.toArray());
    };

    it('says what the store must allow, while it does not', async () => {
      await store.forbid();
      await upload('never.txt', small, 'text/plain');
      await dialog()
        .getByText(`its CORS rules do not let ${new URL(stage.srv.url).origin} PUT`)
        .waitFor();
      stage.complaintsAbout(/CORS|ERR_FAILED|403/);
      await assert.rejects(stage.client.statObject({ repository: 'lakes', ref: 'main', path: 'never.txt' }));
      assert.deepEqual(toServer, []);
      await stage.check(`upload-${name.toLowerCase()}-refused`);
    });

    it('writes files to the store with the rules of the README, and links them', async () => {
      await store.allow(new URL(stage.srv.url).origin);
      toStore.length = 0;
      for (const [path, content, type] of [
        ["it's ü 1%.txt", small, 'text/plain'],
        ['empty.bin', Buffer.alloc(0), ''],
        ['large.bin', large, 'application/x-lakes'],
      ] as const) {
        await upload(path, content, type);
        await dialog().waitFor({ state: 'detached' });
        assert.equal(md5(await stored(path)), md5(content), path);
        const facts = await stage.client.statObject({ repository: 'lakes', ref: 'main', path });
        assert.equal(facts.size_bytes, content.length);
        assert.equal(facts.content_type, type || 'application/octet-stream');
        if (content === large) assert.match(facts.checksum, checksumOfLarge);
        else assert.equal(facts.checksum, md5(content), path);
      }
      assert.deepEqual(toServer, []);
      assert.equal(toStore.length, name === 'Google' ? 5 : 3);
      await page.getByRole('link', { name: 'large.bin' }).waitFor();
      await stage.check(`upload-${name.toLowerCase()}`);
    });
  });
