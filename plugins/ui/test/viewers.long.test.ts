/** The first run, viewers of objects, a prefix in front of the page, and read-only repositories. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { listen, logIn } from '@srv/test-servers/page-stage';
import { setStage } from './support/page.js';
import { startPrefixProxy } from './support/prefix-proxy.js';
import { record } from './support/recording.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

const fixture = (name: string): Buffer => readFileSync(fileURLToPath(new URL(`../../test/fixtures/${name}`, import.meta.url)));
/** What PyArrow wrote, with what it says of each cell beside it. */
const everyType = (format: string): string => fileURLToPath(new URL(`../../test/vectors/every-type.${format}`, import.meta.url));
const everyFormat = ['parquet', 'arrow', 'avro'];
/** One red point. */
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');

/** Half a second of silence. */
const tone = ((): Buffer => {
  const [rate, samples] = [8000, 4000];
  const header = Buffer.alloc(44);
  header.write('RIFF');
  header.writeUInt32LE(36 + samples, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples, 40);
  return Buffer.concat([header, Buffer.alloc(samples, 128)]);
})();

const pdf = `%PDF-1.1
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj
trailer<</Root 1 0 R>>
`;

/** Runs in the browser. @throws at the end of the box. */
function scrollRight(box: unknown): Promise<void> {
  const { requestAnimationFrame } = globalThis as unknown as { requestAnimationFrame(act: () => void): void };
  const element = box as { scrollLeft: number };
  const before = element.scrollLeft;
  element.scrollLeft += 100;
  if (element.scrollLeft === before) throw new Error('there is nothing more to the right');
  // Drawn in the frame after the one that notices.
  return new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

/** What tests ask of the browser's elements. */
interface Media {
  readonly readyState: number;
  readonly duration: number;
  readonly videoWidth?: number;
  getAttribute(name: string): string | null;
}

describe('viewers and first steps', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  before(async () => {
    stage = await setStage();
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    await stage.client.createRepository({ body: { name: 'frozen', storage_namespace: 'local://frozen', read_only: true } });
    for (const [path, body] of objects) await stage.client.uploadObject({ repository: 'lakes', branch: 'main', path, body });
  });
  after(() => stage?.close());

  const objects: readonly (readonly [string, string | Buffer])[] = [
    ['lakes.parquet', fixture('lakes.parquet')],
    ...everyFormat.map(format => [`every-type.${format}`, readFileSync(everyType(format))] as const),
    ...['north', 'south'].map(name => [`lakes/region=${name}/part.parquet`, fixture('lakes.parquet')] as const),
    ['exact.json', '{"big": 12345678901234567890, "one": 1.0, "one": -0}'],
    ['pictures.csv', `name,image\npoint,0x${png.toString('hex')}\n`],
    ['ragged.csv', 'a,b\n1,2,beyond\n'],
    ['point.png', png],
    ['broken.png', png.subarray(0, 20)],
    ['notes', 'text without an extension\n'],
    ['empty', ''],
    ['rows.tsv', 'a\tb\n2\tx\n10\ty\n'],
    ['bad.json', '{"a":'],
    [
      'lakes.geojson',
      JSON.stringify({
        type: 'FeatureCollection',
        features: [
          {
            type: 'Feature',
            properties: { name: 'Saimaa', depth: 82 },
            geometry: {
              type: 'Polygon',
              coordinates: [
                [
                  [27.5, 61.1],
                  [29.2, 61.3],
                  [29.5, 62.2],
                  [28, 61.9],
                  [27.5, 61.1],
                ],
              ],
            },
          },
          {
            type: 'Feature',
            properties: { name: 'Vuoksi' },
            geometry: {
              type: 'LineString',
              coordinates: [
                [28.8, 61.2],
                [29.6, 60.9],
              ],
            },
          },
          { type: 'Feature', properties: { name: 'Imatra' }, geometry: { type: 'Point', coordinates: [28.8, 61.2] } },
        ],
      }),
    ],
    ['long.log', 'line\n'.repeat(300_000)],
  ];
  const open = (path: string) => stage.open(`repositories/lakes/object?ref=main&path=${path}`);

  it('show values as they are stored', async () => {
    for (const format of everyFormat) {
      const expected = JSON.parse(readFileSync(`${everyType(format)}.json`, 'utf8')) as Record<string, (string | null)[]>;
      await open(`every-type.${format}`);
      const columns = Object.values(expected);
      await page.getByText(`${columns[0]?.length} rows`).waitFor();
      // All of them are compared without a browser; here those of one format are.
      for (const [i, column] of (format === 'parquet' ? columns : columns.slice(0, 6)).entries()) {
        // Columns are drawn as they come into view.
        const cell = page.locator(`.grid-table tbody tr[aria-rowindex="5"] td[aria-colindex="${i + 1}"]`);
        while ((await cell.count()) === 0) await page.locator('.scroll').evaluate(scrollRight);
        // White space at the ends of texts is not looked at here.
        await eventually(async () => (await cell.textContent())?.trim(), (column[3] ?? 'null').trim(), Object.keys(expected)[i]);
      }
    }
    await open('exact.json');
    for (const source of ['12345678901234567890', '1.0', '-0']) await page.getByText(source, { exact: true }).waitFor();
    assert.equal(await page.getByText('name repeated').count(), 2);
    await open('ragged.csv');
    await page.getByRole('cell', { name: 'beyond' }).waitFor();
    await open('pictures.csv');
    await page.getByRole('button', { name: 'Show picture: image, row 1' }).click();
    await page
      .getByRole('dialog')
      .getByRole('img')
      .evaluate(image => (image as { decode(): Promise<void> }).decode());
    await stage.check('picture-in-cell');
    await page.keyboard.press('Escape');
  });

  it('show tables, pictures, text and bytes', async () => {
    await open('lakes.parquet');
    await page.getByRole('cell', { name: 'Denmark' }).waitFor();
    await page.getByRole('columnheader', { name: /depth/ }).waitFor();
    await page.getByText('3 rows · 3 columns').waitFor();
    await page.getByRole('searchbox', { name: 'Filter rows' }).fill('ken');
    await page.getByText('1 row of 3').waitFor();
    await stage.check('parquet');
    await page.getByRole('button', { name: 'Bytes' }).click();
    await page.getByText(/^00000000 {2}50 41 52 31/).waitFor();
    await open('point.png');
    // Rejects what is not a picture.
    await page.locator('.picture img').evaluate(image => (image as { decode(): Promise<void> }).decode());
    await stage.check('image');
    await open('broken.png');
    await page.getByRole('heading', { name: 'This picture cannot be shown' }).waitFor();
    await open('notes');
    await page.getByText('text without an extension').waitFor();
    await open('empty');
    await page.getByText('This object is empty').waitFor();
    await stage.check('empty-object');
    await open('rows.tsv');
    const firstColumn = () => page.locator('tbody td[aria-colindex="1"]').allTextContents();
    await page.getByRole('button', { name: 'a', exact: true }).click();
    await eventually(firstColumn, ['2', '10']);
    await page.getByRole('button', { name: /^a/ }).first().click();
    await eventually(firstColumn, ['10', '2']);
    await open('bad.json');
    await page.getByText(/This is not valid JSON/).waitFor();
    await open('long.log');
    await page.getByText('This is the first 1.0 MiB.').waitFor();
  });

  it('draw GeoJSON without a map from elsewhere', async () => {
    await open('lakes.geojson');
    const map = page.getByRole('application', { name: /^Map of lakes.geojson/ });
    await map.waitFor();
    await page.getByRole('cell', { name: 'Saimaa' }).waitFor();
    await page.getByText('Lines: 27.5°E to 29.5°E, 61°N to 62°N').waitFor();
    await stage.check('map');
    const seen = () => map.locator('svg').getAttribute('viewBox');
    const whole = await seen();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await map.focus();
    await page.keyboard.press('ArrowLeft');
    await eventually(async () => (await seen()) !== whole, true);
    await page.keyboard.press('0');
    await eventually(seen, whole);
    await page.getByRole('button', { name: 'JSON' }).click();
    await page.getByText('{2 members}').waitFor();
  });

  it('play sound and video, and show PDF', async t => {
    const put = (path: string, body: Buffer) => stage.client.uploadObject({ repository: 'lakes', branch: 'main', path, body });
    await put('tone.wav', tone);
    await open('tone.wav');
    const facts = (name: 'audio' | 'video') =>
      page.locator(name).evaluate(async element => {
        const media = element as unknown as Media;
        if (media.readyState === 0)
          await new Promise((resolve, reject) => Object.assign(media, { onloadedmetadata: resolve, onerror: reject }));
        return { label: media.getAttribute('aria-label'), duration: media.duration, width: media.videoWidth };
      });
    assert.deepEqual(await facts('audio'), { label: 'tone.wav', duration: 0.5, width: undefined });
    await stage.check('sound');
    // The browser itself makes the video that it is to show.
    const recorded = await page.evaluate(record);
    await put('clip.webm', Buffer.from(recorded, 'base64'));
    await open('clip.webm');
    const { label, width } = await facts('video');
    assert.deepEqual([label, width], ['clip.webm', 64]);
    await stage.check('video');
    await put('letter.pdf', Buffer.from(pdf));
    await open('letter.pdf');
    const shows = await page.evaluate(
      () => (globalThis as unknown as { navigator: { pdfViewerEnabled: boolean } }).navigator.pdfViewerEnabled,
    );
    if (shows) await eventually(() => page.locator('iframe[title="letter.pdf"]').getAttribute('src'), /^blob:/);
    else await page.getByText('This browser shows no PDF').waitFor();
    t.diagnostic(`the browser has ${shows ? 'a' : 'no'} viewer of PDF`);
    await stage.check('pdf');
  });

  it('files of a folder are shown as one table', async () => {
    await stage.open('repositories/lakes/objects?ref=main&path=lakes%2F');
    await page.getByRole('button', { name: 'As One Table' }).click();
    await page.getByText('6 rows · 5 columns').waitFor();
    await page.getByRole('cell', { name: 'region=south/part.parquet' }).first().waitFor();
    await stage.check('folder-table');
    await page.getByRole('button', { name: 'Condition' }).click();
    await page.getByRole('combobox', { name: 'Column' }).selectOption({ label: '(file)' });
    await page.getByRole('combobox', { name: 'Condition' }).selectOption('contains');
    await page.getByRole('textbox', { name: 'Value' }).fill('north');
    await page.getByText('3 rows of 6').waitFor();
    await page.getByRole('button', { name: 'As One Table' }).click();
    await page.getByRole('link', { name: 'region=north' }).waitFor();
    await page.reload();
  });

  it('a line of a text has an address, by a click on its number or by typing it', async () => {
    const lines = Array.from({ length: 500 }, (_, i) => `line number ${i + 1}`).join('\n');
    await stage.client.uploadObject({ repository: 'lakes', branch: 'main', path: 'lines.txt', body: lines });
    await open('lines.txt');
    await page.getByLabel('Go to line').fill('400');
    await page.keyboard.press('Enter');
    await page.waitForURL(/line=400/);
    const place = () =>
      page.locator('.source').evaluate(box => {
        const { scrollTop, style, scrollHeight } = box as unknown as {
          scrollTop: number;
          scrollHeight: number;
          style: { getPropertyValue(name: string): string };
        };
        // What the mark covers, as the number of a line.
        return {
          isScrolled: scrollTop > 1000,
          line: Math.round(Number.parseFloat(style.getPropertyValue('--line-top')) / ((scrollHeight - 24) / 500)) + 1,
        };
      });
    await eventually(place, { isScrolled: true, line: 400 });
    await stage.check('text-line');
    await page.reload();
    await eventually(place, { isScrolled: true, line: 400 });
    await page.locator('.source .pick-line').click({
      position: {
        x: 10,
        y:
          12 +
          (397.5 * (await page.locator('.pick-line span').evaluate(span => (span as unknown as { clientHeight: number }).clientHeight))) /
            500,
      },
    });
    await page.waitForURL(/line=398/);
    await page.getByRole('button', { name: 'Copy link to line 398' }).waitFor();
  });

  it('tables are compared as tables', async () => {
    const at = { repository: 'lakes' };
    await stage.client.commit({ ...at, branch: 'main', body: { message: 'Tables' } });
    await stage.client.createBranch({ ...at, body: { name: 'tables', source: 'main' } });
    for (const [path, body] of [
      ['rows.tsv', 'a\tb\n2\tchanged\n11\tnew\n'],
      ['lakes.parquet', fixture('changed.parquet')],
    ] as const)
      await stage.client.uploadObject({ ...at, branch: 'tables', path, body });
    await stage.open('repositories/lakes/objects?ref=tables&showChanges=true');
    await page.getByRole('button', { name: 'Show object changes of rows.tsv' }).click();
    await page.getByText('1 row changed').waitFor();
    await page.getByRole('cell', { name: 'x changed' }).waitFor();
    await page.getByRole('button', { name: 'Show object changes of lakes.parquet' }).click();
    await page.getByText('rows matched by id').waitFor();
    await page.getByRole('cell', { name: 'Kenya Ghana' }).waitFor();
    await stage.check('table-diff');
  });

  it('history, blame and info lead from an object to its commits', async () => {
    await stage.client.uploadObject({ repository: 'lakes', branch: 'main', path: 'notes', body: 'other text\n' });
    await stage.client.commit({ repository: 'lakes', branch: 'main', body: { message: 'All kinds' } });
    await open('notes');
    await page.getByRole('button', { name: 'Blame' }).click();
    await page.getByRole('dialog').getByText('All kinds').waitFor();
    await stage.check('blame');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'History' }).click();
    await page.getByRole('link', { name: 'All kinds' }).waitFor();
    await stage.check('history');
    await page
      .getByRole('link', { name: /^Open as it was at/ })
      .last()
      .click();
    await page.getByText('text without an extension').waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^On branch/ })
      .click();
    await page.getByRole('option').getByText('main', { exact: true }).click();
    await stage.check('restore');
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.waitForURL(/ref=main/);
    await page.getByText('text without an extension').waitFor();
    const { body } = await stage.client.getObject({ repository: 'lakes', ref: 'main', path: 'notes' });
    assert.equal(Buffer.concat(await body.toArray()).toString(), 'text without an extension\n');
    await eventually(() => page.getByRole('button', { name: 'Restore' }).count(), 0);
  });

  it('a wrong address says what is wrong', async () => {
    for (const [path, text] of [
      ['nowhere', 'There is no such page'],
      ['repositories/lakes/nothing', 'There is no such page'],
      ['repositories/elsewhere/objects', 'There is no repository elsewhere'],
      ['repositories/lakes/objects?ref=no-such-ref', 'There is no no-such-ref here'],
      ['repositories/lakes/compare?ref=main&compare=no-such-ref', 'There is no no-such-ref here'],
      ['repositories/lakes/compare?ref=neither&compare=nor', 'There is no neither or nor here'],
      ['repositories/lakes/object?ref=main&path=no/such', 'Not found'],
      // An escape that is not UTF-8 stands for no name.
      ['repositories/lakes/objects?ref=main&path=%FF', 'Nothing here'],
    ] as const) {
      await stage.open(path);
      await page.getByRole('heading', { name: text }).waitFor();
    }
    stage.complaintsAbout(/404/);
    await stage.check('not-found');
  });

  it('shows read-only repositories as such, without controls for changes', async () => {
    await stage.open('repositories');
    await page.getByText('Read-only').waitFor();
    await stage.check('repositories');
    await stage.open('repositories/frozen/objects');
    await page.getByText('Read-only').waitFor();
    await eventually(() => page.getByRole('button', { name: 'Upload' }).first().getAttribute('aria-disabled'), 'true');
    await stage.check('read-only');
    await stage.open('repositories/lakes/objects?ref=main~1');
    await eventually(
      () => page.getByRole('button', { name: 'Upload' }).first().getAttribute('title'),
      /a commit cannot be changed; choose a branch/,
    );
  });

  it('works below a prefix', async () => {
    const proxy = await startPrefixProxy(stage.srv.url);
    const { url } = proxy;
    const context = await stage.browser.newContext();
    try {
      const fresh = await context.newPage();
      const complaints = listen(fresh);
      await logIn(fresh, { url, key: stage.srv.key });
      await fresh.getByRole('link', { name: 'lakes' }).click();
      await fresh.getByRole('link', { name: 'rows.tsv' }).click();
      await fresh
        .getByRole('button', { name: 'Filter rows' })
        .or(fresh.getByRole('searchbox', { name: 'Filter rows' }))
        .waitFor();
      await eventually(() => fresh.url().split('?')[0], `${url}/repositories/lakes/object`);
      await fresh.reload();
      await fresh.getByRole('link', { name: 'Branches' }).click();
      await fresh.getByRole('button', { name: 'Create Branch' }).waitFor();
      assert.deepEqual(complaints, []);
    } finally {
      await context.close();
      await proxy.close();
    }
  });
});
