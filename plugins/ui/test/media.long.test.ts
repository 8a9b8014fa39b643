/** Pictures and sound: side by side in folders, and in cells of tables that PyArrow wrote. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { findPython, runPython } from '@srv/test-servers/python';
import { setStage } from './support/page.js';
import { testFolder } from './table-reading.js';
import type { Locator, Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

const python = findPython('pyarrow');
const needs = needsChromium || (python === undefined && 'needs a Python with pyarrow (SRV_TEST_PYTHON)');

describe('pictures and sound, in Chromium', { skip: needs }, () => {
  const folder = scratchFolder();
  let stage: Stage;
  let page: Page;
  let sizes: readonly (readonly [number, number])[];
  before(async () => {
    await runPython(python ?? '', [join(testFolder, 'media.py'), folder]);
    sizes = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as typeof sizes;
    stage = await setStage();
    ({ page } = stage);
    const at = { repository: 'lakes', branch: 'main' };
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    const files = ['data.parquet', 'metadata.csv', 'tone.wav', 'pictures/notes.txt', ...[0, 1, 2, 3].map(i => `pictures/${i}.png`)];
    for (const path of files) await stage.client.uploadObject({ ...at, path, body: readFileSync(join(folder, path)) });
    // More than are drawn at once.
    const red = readFileSync(join(folder, 'pictures/0.png'));
    for (let i = 0; i < 150; i++) await stage.client.uploadObject({ ...at, path: `many/${String(i).padStart(3, '0')}.png`, body: red });
    await stage.client.commit({ ...at, body: { message: 'Media' } });
  });
  after(() => stage?.close());

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  /** Pixels of a picture, once it is there. */
  const sizeOf = (image: Locator): Promise<readonly [number, number]> =>
    image.evaluate(async element => {
      const picture = element as unknown as { decode(): Promise<void>; naturalWidth: number; naturalHeight: number };
      await picture.decode();
      return [picture.naturalWidth, picture.naturalHeight] as const;
    });

  it('a folder of pictures is shown as such, with the previous and the next one by buttons and keys', async () => {
    await stage.open('repositories/lakes/objects?path=pictures/');
    await button('As Pictures').click();
    const tiles = page.locator('.pictures .tile');
    await eventually(() => tiles.count(), 4);
    for (let i = 0; i < 4; i++) assert.deepEqual(await sizeOf(tiles.nth(i).locator('img')), sizes[i]);
    await stage.check('pictures');
    await button('1.png').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 of 4').waitFor();
    assert.deepEqual(await sizeOf(dialog.getByRole('img', { name: '1.png' })), sizes[1]);
    await stage.check('picture-large');
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await sizeOf(dialog.getByRole('img', { name: '2.png' })), sizes[2]);
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByText('4 of 4').waitFor();
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await sizeOf(dialog.getByRole('img', { name: '3.png' })), sizes[3]);
    await page.keyboard.press('Home');
    await dialog.getByText('1 of 4').waitFor();
    await page.keyboard.press('ArrowLeft');
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByRole('button', { name: 'Previous' }).click();
    await dialog.getByText('1 of 4').waitFor();
    await eventually(() => new URL(page.url()).searchParams.get('picture'), 'pictures/0.png');
    // The address leads to the picture again, and the dialog to the object.
    await page.reload();
    await dialog.getByRole('link', { name: 'Open' }).click();
    await page.getByRole('region', { name: 'Content of pictures/0.png' }).waitFor();
    await page.goBack();
    await dialog.getByText('1 of 4').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await button('As Pictures').click();
    await page.getByRole('link', { name: 'notes.txt' }).waitFor();
  });

  it('further pictures of a large folder are drawn as they come into sight', async () => {
    await stage.open('repositories/lakes/objects?path=many/&view=pictures');
    const tiles = page.locator('.pictures .tile');
    await eventually(async () => (await tiles.count()) >= 60, true);
    assert.ok((await tiles.count()) < 150);
    await eventually(async () => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      return tiles.count();
    }, 150);
    await button('149.png').click();
    await page.getByRole('dialog').getByText('150 of 150').waitFor();
    await page.keyboard.press('Escape');
  });

  it('cells with pictures show them, cells with sound play it', async () => {
    await stage.open('repositories/lakes/object?path=data.parquet');
    for (const column of ['image', 'raw', 'named'])
      for (let i = 0; i < 4; i++)
        assert.deepEqual(await sizeOf(button(`Show picture: ${column}, row ${i + 1}`).locator('img')), sizes[i], column);
    await page.getByRole('cell', { name: '0x0001' }).first().waitFor();
    await stage.check('media-cells');
    await button('Show picture: image, row 3').click();
    const dialog = page.getByRole('dialog');
    assert.deepEqual(await sizeOf(dialog.getByRole('img')), sizes[2]);
    await page.keyboard.press('Escape');
    await button('Play: audio, row 2').click();
    await eventually(
      () => dialog.locator('audio').evaluate(element => Math.round((element as unknown as { duration: number }).duration * 10)),
      2,
    );
    await stage.check('sound-cell');
    await page.keyboard.press('Escape');
  });

  it('cells that name objects of the repository show those', async () => {
    await stage.open('repositories/lakes/object?path=metadata.csv');
    for (let i = 0; i < 4; i++) assert.deepEqual(await sizeOf(button(`Show picture: file_name, row ${i + 1}`).locator('img')), sizes[i]);
    // Only columns that are known to name files are taken so.
    assert.equal(await button(/: text, row/).count(), 0);
    await button('Play: address, row 1').click();
    const dialog = page.getByRole('dialog');
    await eventually(
      () => dialog.locator('audio').evaluate(element => Math.round((element as unknown as { duration: number }).duration * 10)),
      5,
    );
    await dialog.getByRole('link', { name: 'tone.wav' }).click();
    await page.getByRole('region', { name: 'Content of tone.wav' }).waitFor();
  });
});
