/** Uploads through the server: files, folders, what is dropped; cancelling, and sending again. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

describe('uploads in Chromium', { skip: needsChromium }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'srv-uploads-'));
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await setStage();
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  });
  beforeEach(async () => {
    await page.unrouteAll();
    await stage.open('repositories/lakes/objects');
  });
  after(async () => {
    await stage?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const dialog = () => page.getByRole('dialog');
  const openDialog = () => page.getByRole('button', { name: 'Upload' }).first().click();
  const choose = (names: readonly string[]) =>
    dialog()
      .locator('input[aria-label=Files]')
      .setInputFiles(names.map(name => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`text of ${name}`) })));
  const send = (count: number) =>
    dialog()
      .getByRole('button', { name: `Upload ${count} File${count === 1 ? '' : 's'}` })
      .click();
  const closed = () => dialog().waitFor({ state: 'detached' });
  const paths = async () => (await stage.client.listObjects({ repository: 'lakes', ref: 'main' })).results.map(({ path }) => path);
  /** Drops files, as from another program, on the first element that the selector finds, once the page shows it. */
  const drop = async (selector: string, names: readonly string[]) => {
    await page.locator(selector).first().waitFor();
    await page.evaluate(
      `{
        const data = new DataTransfer();
        for (const name of ${JSON.stringify(names)}) data.items.add(new File(['dropped ' + name], name, { type: 'text/plain' }));
        const target = document.querySelector(${JSON.stringify(selector)});
        for (const type of ['dragover', 'drop'])
          target.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      }`,
    );
  };

  it('a folder is sent with the folders in it', async () => {
    mkdirSync(join(folder, 'survey', 'north'), { recursive: true });
    writeFileSync(join(folder, 'survey', 'all.txt'), 'all');
    writeFileSync(join(folder, 'survey', 'north', 'one.txt'), 'one');
    await openDialog();
    await dialog().locator('input[aria-label=Folder]').setInputFiles(join(folder, 'survey'));
    await dialog().getByText('survey/north/one.txt').waitFor();
    await stage.check('upload-folder');
    await send(2);
    await closed();
    assert.deepEqual(await paths(), ['survey/all.txt', 'survey/north/one.txt']);
  });

  it('files are dropped on the page, and on the dialog', async () => {
    await drop('main > div', ['page.txt']);
    await dialog().getByText('page.txt').waitFor();
    await drop('dialog .drop', ['dialog.txt', 'page.txt']);
    await dialog().getByText('dialog.txt').waitFor();
    await dialog().getByRole('button', { name: 'Remove page.txt' }).click();
    await send(1);
    await closed();
    assert.deepEqual(await paths(), ['dialog.txt', 'survey/all.txt', 'survey/north/one.txt']);
  });

  it('names what the browser cannot read of a dropped folder, and sends the rest', async () => {
    await page.evaluate(`{
      const refused = name => (resolve, reject) => reject(new DOMException('not for ' + name, 'NotReadableError'));
      const file = (name, read = resolve => resolve(new File([name], name))) => ({ name, isFile: true, file: read });
      const folder = (name, readEntries) => ({ name, isDirectory: true, createReader: () => ({ readEntries }) });
      const parts = [[file('good.txt'), file('secret.txt', refused('secret.txt'))], [folder('locked', refused('locked'))], []];
      DataTransferItem.prototype.webkitGetAsEntry = () => folder('mixed', resolve => resolve(parts.shift()));
    }`);
    await openDialog();
    await drop('dialog .drop', ['mixed']);
    await dialog().getByText('mixed/good.txt').waitFor();
    await eventually(
      async () => (await dialog().getByRole('alert').getByRole('listitem').allTextContents()).sort((a, b) => (a < b ? -1 : 1)),
      ['mixed/locked: not for locked', 'mixed/secret.txt: not for secret.txt'],
    );
    await stage.check('upload-unread');
    await send(1);
    await closed();
    assert.deepEqual(
      (await paths()).filter(path => path.startsWith('mixed/')),
      ['mixed/good.txt'],
    );
  });

  it('sends again only what failed', async () => {
    const sent: string[] = [];
    let refuses = true;
    await page.route(/\/branches\/main\/objects\?/, async route => {
      if (route.request().method() !== 'POST') return route.continue();
      const path = new URL(route.request().url()).searchParams.get('path') ?? '';
      sent.push(path);
      if (refuses && path === 'b.txt') return route.fulfill({ status: 503, json: { message: 'the disk is full' } });
      return route.continue();
    });
    await openDialog();
    await choose(['a.txt', 'b.txt']);
    await send(2);
    await dialog().getByText('the disk is full').waitFor();
    await dialog().getByText('1 file of 2 uploaded').waitFor();
    stage.complaintsAbout(/503/);
    await stage.check('upload-failed');
    refuses = false;
    await send(1);
    await closed();
    assert.deepEqual(
      sent.sort((a, b) => (a < b ? -1 : 1)),
      ['a.txt', 'b.txt', 'b.txt'],
    );
    assert.deepEqual((await paths()).slice(0, 2), ['a.txt', 'b.txt']);
  });

  it('a file that is chosen again takes the place of the first of its name, also after a failure', async () => {
    let refuses = true;
    await page.route(/\/branches\/main\/objects\?/, route =>
      route.request().method() === 'POST' && refuses ? route.fulfill({ status: 503, json: { message: 'not now' } }) : route.continue(),
    );
    const chooseText = (text: string) =>
      dialog()
        .locator('input[aria-label=Files]')
        .setInputFiles([{ name: 'report.txt', mimeType: 'text/plain', buffer: Buffer.from(text) }]);
    const read = async () => {
      const { body } = await stage.client.getObject({ repository: 'lakes', ref: 'main', path: 'report.txt' });
      return Buffer.concat(await body.toArray()).toString();
    };
    await openDialog();
    await chooseText('first');
    await send(1);
    await dialog().getByText('not now').waitFor();
    stage.complaintsAbout(/503/);
    await chooseText('corrected');
    await dialog().getByText('not now').waitFor({ state: 'detached' });
    await dialog().getByText('0 files of 1 uploaded').waitFor();
    refuses = false;
    await send(1);
    await closed();
    assert.equal(await read(), 'corrected');
    await openDialog();
    await chooseText('second');
    await chooseText('third');
    await send(1);
    await closed();
    assert.equal(await read(), 'third');
  });

  it('cancelling ends the request, and keeps what was chosen', async () => {
    await page.route(/\/branches\/main\/objects\?.*never/, () => undefined);
    await openDialog();
    await choose(['never.txt']);
    const ended = page.waitForEvent('requestfailed', request => request.url().includes('never'));
    await send(1);
    await dialog().getByRole('progressbar', { name: 'Progress of never.txt' }).waitFor();
    await dialog().getByRole('progressbar', { name: 'Progress of the upload' }).waitFor();
    // Nothing can be added to what is under way.
    await drop('dialog .drop', ['late.txt']);
    await dialog().getByRole('button', { name: 'Cancel the upload' }).click();
    await ended;
    await dialog().getByText('cancelled').waitFor();
    assert.equal(await dialog().getByText('late.txt').count(), 0);
    await dialog().getByRole('button', { name: 'Upload 1 File' }).waitFor();
    assert.ok(!(await paths()).includes('never.txt'));
  });
});
