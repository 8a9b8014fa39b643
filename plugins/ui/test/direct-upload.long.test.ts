/** Uploads that go from the browser to the object store itself, by signed URLs. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSrv } from '@srv/test-servers';
import { needsChromium } from '@srv/test-servers/chromium';
import { setStage } from './support/page.js';
import { startStoreFront } from './support/store-front.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';
import type { Seen, StoreFront } from './support/store-front.js';

const mebibyte = 2 ** 20;
/** Three parts. */
const large = randomBytes(17 * mebibyte);
/** Of the browser. */
const isWrite = ({ method, fromBrowser }: Seen): boolean => fromBrowser && method === 'PUT';
const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

describe('uploads past the server, in Chromium', { skip: needsChromium }, () => {
  let store: StoreFront;
  let stage: Stage;
  let page: Page;
  let from = 0;
  before(async () => {
    store = await startStoreFront();
    stage = await setStage({ plugins: ['block-s3'], config: store.config });
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: store.namespace } });
  });
  beforeEach(async () => {
    store.spoil = () => undefined;
    store.withoutCors = false;
    from = store.seen.length;
    await stage.open('repositories/lakes/objects');
    await page.getByRole('button', { name: 'Upload' }).first().click();
  });
  after(async () => {
    await stage?.close();
    await store?.close();
  });

  const dialog = () => page.getByRole('dialog');
  const choose = (name: string, buffer: Buffer, mimeType = 'text/plain') =>
    dialog().locator('input[type=file][aria-label=Files]').setInputFiles([{ name, mimeType, buffer }]);
  const send = () => dialog().getByRole('button', { name: 'Upload 1 File' }).click();
  const closed = () => dialog().waitFor({ state: 'detached' });
  /** Writes of the browser since the test began. */
  const writes = (): readonly Seen[] => store.seen.slice(from).filter(isWrite);
  const stored = async (path: string) => {
    const { body } = await stage.client.getObject({ repository: 'lakes', ref: 'main', path });
    return Buffer.concat(await body.toArray());
  };
  const exists = (path: string) =>
    stage.client.statObject({ repository: 'lakes', ref: 'main', path }).then(
      () => true,
      () => false,
    );

  it('writes a file to the store, and links it', async () => {
    const sentToServer: string[] = [];
    page.on('request', request => {
      if (request.url().includes('/branches/main/objects?') && request.method() === 'POST') sentToServer.push(request.url());
    });
    await choose('a.txt', Buffer.from('direct\n'));
    await stage.check('upload-direct');
    await send();
    await closed();
    await page.getByRole('link', { name: 'a.txt' }).waitFor();
    assert.deepEqual(sentToServer, []);
    assert.deepEqual(writes(), [{ method: 'PUT', part: undefined, fromBrowser: true }]);
    assert.equal((await stored('a.txt')).toString(), 'direct\n');
    const { content_type, checksum } = await stage.client.statObject({ repository: 'lakes', ref: 'main', path: 'a.txt' });
    assert.equal(content_type, 'text/plain');
    assert.equal(checksum, md5(Buffer.from('direct\n')));
  });

  it('sends a large file in parts, a few at once, and a part that fails again', async () => {
    let failures = 1;
    store.spoil = ({ part }) => (part === '2' && failures-- > 0 ? 503 : undefined);
    await choose('large.bin', large, 'application/x-lakes');
    await send();
    await closed();
    stage.complaintsAbout(/503/);
    assert.deepEqual(
      writes()
        .map(({ part }) => Number(part))
        .sort((a, b) => a - b),
      [1, 2, 2, 3],
    );
    assert.ok(store.mostAtOnce() > 1 && store.mostAtOnce() <= 4, `${store.mostAtOnce()} at once`);
    assert.equal(md5(await stored('large.bin')), md5(large));
    const { content_type, size_bytes } = await stage.client.statObject({ repository: 'lakes', ref: 'main', path: 'large.bin' });
    assert.deepEqual([content_type, size_bytes], ['application/x-lakes', large.length]);
  });

  it('resumes where it failed when sent again', async () => {
    // It fails when the others are there.
    const answered = store.answered.length;
    store.spoil = async ({ part }) => {
      if (part !== '3') return undefined;
      while (store.answered.slice(answered).filter(isWrite).length < 2) await sleep(10);
      return 503;
    };
    await choose('again.bin', large);
    await send();
    await dialog().getByText('answered 503: Please reduce your request rate.', { exact: false }).waitFor();
    stage.complaintsAbout(/503/);
    await stage.check('upload-direct-failed');
    const before = writes().length;
    store.spoil = () => undefined;
    await send();
    await closed();
    const parts = writes().slice(before);
    assert.ok(parts.some(({ part }) => part === '3') && parts.length < 3, JSON.stringify(parts));
    assert.equal(md5(await stored('again.bin')), md5(large));
  });

  it('sends all of a file that takes the place of one of which parts are stored, and removes those', async () => {
    store.spoil = ({ part }) => (part === '3' ? 503 : undefined);
    await choose('replaced.bin', large);
    await send();
    await dialog().getByText('answered 503: Please reduce your request rate.', { exact: false }).waitFor();
    stage.complaintsAbout(/503/);
    store.spoil = () => undefined;
    const corrected = randomBytes(17 * mebibyte);
    await choose('replaced.bin', corrected);
    const abort = page.waitForResponse(response => response.request().method() === 'DELETE' && response.url().includes('/staging/pmpu/'));
    await send();
    assert.equal((await abort).status(), 204);
    await closed();
    assert.equal(md5(await stored('replaced.bin')), md5(corrected));
  });

  it('cancels for good: requests end, and nothing stays in the store', async () => {
    store.spoil = ({ part }) => (part === '2' ? 'hold' : undefined);
    await choose('never.bin', large);
    await send();
    await dialog().getByRole('progressbar', { name: 'Progress of never.bin' }).waitFor();
    const abort = page.waitForResponse(response => response.request().method() === 'DELETE' && response.url().includes('/staging/pmpu/'));
    await dialog().getByRole('button', { name: 'Cancel the upload' }).click();
    assert.equal((await abort).status(), 204);
    await dialog().getByText('cancelled').waitFor();
    assert.equal(await exists('never.bin'), false);
    await dialog().getByRole('button', { name: 'Close', exact: true }).last().click();
    await closed();
  });

  it('says what the store must allow, and sends through the server instead', async () => {
    store.withoutCors = true;
    await choose('cors.txt', Buffer.from('refused\n'));
    await send();
    const origin = new URL(stage.srv.url).origin;
    await dialog().getByText(`its CORS rules do not let ${origin} PUT`).waitFor();
    stage.complaintsAbout(/CORS|ERR_FAILED/);
    assert.equal(await exists('cors.txt'), false);
    await dialog().getByLabel('Send through the server').check();
    await send();
    await closed();
    assert.equal((await stored('cors.txt')).toString(), 'refused\n');
  });

  it('lets only that window connect to only that store', async () => {
    const refused = await page.evaluate(`fetch(${JSON.stringify(store.url)}).then(() => 'allowed', error => error.name)`);
    assert.equal(refused, 'TypeError');
    stage.complaintsAbout(/Content Security Policy|violates/);
    const access = async (repository: string, origin: string) => {
      const query = new URLSearchParams({ repository, origin });
      return fetch(`${stage.srv.url}/store-access?${query.toString()}`);
    };
    const known = await access('lakes', store.url);
    assert.equal(known.status, 200);
    const policy = known.headers.get('content-security-policy') ?? '';
    assert.deepEqual(policy.split('; ').slice(0, 2), ["default-src 'none'", `connect-src ${store.url}`]);
    assert.equal(known.headers.get('referrer-policy'), 'no-referrer');
    for (const [repository, origin] of [
      ['lakes', 'https://elsewhere.example'],
      ['lakes', `${store.url}; script-src *`],
      ['rivers', store.url],
      ['', store.url],
    ] as const)
      assert.equal((await access(repository, origin)).status, 404, `${repository} ${origin}`);
  });
});

describe('a store that the page does not write to', () => {
  it('is not the origin of any window', async () => {
    const srv = await startSrv({ plugins: ['ui'] });
    try {
      const query = new URLSearchParams({ repository: 'lakes', origin: 'https://elsewhere.example' });
      assert.equal((await fetch(`${srv.url}/store-access?${query.toString()}`)).status, 404);
    } finally {
      await srv.stop();
    }
  });
});
