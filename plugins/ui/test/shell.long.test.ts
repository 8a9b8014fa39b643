/** The shell in the page: the commands of `cli` in a worker, results as tables. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { listen, logIn } from '@srv/test-servers/page-stage';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

describe('the shell in the page', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  /** A user who may only read. */
  let ann = { accessKeyId: '', secretAccessKey: '' };
  before(async () => {
    stage = await setStage({
      plugins: ['actions', 'branch-protection', 'gc', 'import', '../plugins/ui/test/fixtures/greeting'],
      config: { 'auth.ui_config.rbac': 'internal' },
    });
    ({ page } = stage);
    const { client } = stage;
    await client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    for (const [path, body] of [
      ['a.txt', 'alpha'],
      ['images/one.png', 'one'],
      ['images/two.png', 'twenty-two'],
    ] as const)
      await client.uploadObject({ repository: 'lakes', branch: 'main', path, body });
    await client.commit({ repository: 'lakes', branch: 'main', body: { message: 'first' } });
  });
  after(() => stage?.close());

  const input = () => page.getByRole('combobox', { name: /^Command at/ });
  const log = () => page.getByRole('region', { name: 'Output of the shell' });
  const last = () => log().locator('.shell-entry').last();
  const hasKeyboard = () => input().evaluate('document.activeElement === document.querySelector(".shell-line input")');
  /** Types a line and waits for its end. @returns what it said. */
  const type = async (line: string, on: Page = page): Promise<string> => {
    const entries = on.locator('.shell-entry');
    const before = await entries.count();
    const command = on.getByRole('combobox', { name: /^Command at/ });
    await command.fill(line);
    await command.press('Enter');
    const entry = entries.nth(before);
    await entry.locator('xpath=self::*[not(contains(@class, "running"))]').waitFor();
    return (await entry.innerText()).replace(/^.*\n?/, '');
  };

  it('opens with a key where the page is, runs commands and shows lists as tables', async () => {
    await stage.open('repositories/lakes/objects?ref=main');
    await page.keyboard.press('`');
    await input().waitFor();
    await page.getByText('lakes/main>', { exact: true }).waitFor();
    await type('ls');
    const table = last().getByRole('table');
    await eventually(() => table.getByRole('row').count(), 3);
    await table.getByRole('link', { name: 'images/' }).waitFor();
    await stage.check('shell-dock');
    await table.getByRole('link', { name: 'a.txt' }).click();
    await page.getByText('alpha').waitFor();
    await eventually(() => page.url(), /object\?ref=main&path=a\.txt/);
    await stage.settled();
    assert.equal(await input().count(), 1, 'the shell stays');
  });

  it('runs commands of the engine and of plugins, in the forms of cli', async () => {
    await stage.open('repositories/lakes/objects?ref=main');
    assert.equal(await input().count(), 0);
    await page.getByRole('button', { name: 'Shell' }).click();
    assert.match(await type('log'), /first[\s\S]*2 rows/);
    assert.match(await type('branch create try -s main'), /created branch 'try' [0-9a-f]{64}/);
    assert.match(await type('auth users list'), /admin/);
    assert.match(await type('branch-protect add srv://lakes pro*'), /^(Repository: srv:\/\/lakes)?\s*$/);
    assert.match(await type('branch-protect list'), /pro\*/);
    assert.match(await type('stat a.txt'), /Path: a\.txt[\s\S]*Human Size: 5 B/);
    assert.equal(await type('cat a.txt'), 'alpha');
    assert.deepEqual(
      JSON.parse(await type('branch list -o json')).map(({ id }: { readonly id: string }) => id),
      ['main', 'try'],
    );
    assert.match(await type('stat a.txt -o yaml'), /^path: a\.txt$/m);
    assert.equal(await type('ls -o name'), 'a.txt\nimages/');
    assert.equal(await type('pwd'), 'srv://lakes/main');
    assert.equal(await type('greet srv://lakes'), 'hello lakes', 'a third-party command');
    assert.match(await type('help'), /branch-protect[\s\S]*greet[\s\S]*Only in cli[^\n]*fs download/);
    assert.match(await type('commit --help'), /--allow-empty-message/);
    await stage.check('shell-output');
  });

  it('filters, remembers and computes', async () => {
    await type("ls -r | where size_bytes > 4 && path.endsWith('.png')");
    await eventually(() => last().getByRole('link').allInnerTexts(), ['images/two.png']);
    assert.equal(await type('_.length'), '1');
    await type('ls -r');
    const names = () => last().getByRole('link').allInnerTexts();
    await last().getByRole('button', { name: 'size bytes' }).click();
    await eventually(names, ['images/one.png', 'a.txt', 'images/two.png']);
    await last().getByRole('button', { name: 'size bytes' }).click();
    await eventually(names, ['images/two.png', 'a.txt', 'images/one.png']);
    assert.equal(await type('big = _.filter(o => o.size_bytes > 5)[0].path'), '');
    assert.match(await type('stat $big'), /Path: images\/two\.png/);
    assert.match(await type('ls | where colour == 1'), /nothing found\s+no item has a field colour/);
    assert.match(await type('lss'), /"lss" is neither a command nor a variable; did you mean ls\?/);
    assert.match(await type('for (const x of _) {}'), /cli repl/);
  });

  it('goes to places, and shows them', async () => {
    await type('cd images');
    await page.getByText('lakes/main/images/>', { exact: true }).last().waitFor();
    assert.match(await type('ls'), /one\.png/);
    await type('open two.png');
    await page.waitForURL(/object\?ref=main&path=images%2Ftwo\.png/);
    await page.locator('main').getByText('two.png').first().waitFor();
    await type('use srv://lakes/try');
    await page.getByRole('button', { name: 'Go to lakes/main/images/' }).click();
    await page.getByRole('combobox', { name: 'Command at lakes/main/images/' }).waitFor();
    await type('cd /');
  });

  it('completes commands, options, refs and paths, and lets the keyboard go', async () => {
    const line = () => input().inputValue();
    for (const [typed, completed] of [
      ['cherry', 'cherry-pick '],
      ['ls im', 'ls images/'],
      ['log tr', 'log try '],
      ['branch-p', 'branch-protect '],
      ['commit --allow-empty', 'commit --allow-empty-'],
    ] as const) {
      await input().fill(typed);
      await input().press('Tab');
      await eventually(line, completed);
    }
    await input().press('Tab');
    const offered = page.getByRole('listbox', { name: 'Completions' });
    await eventually(() => offered.getByRole('option').allInnerTexts(), ['--allow-empty-commit', '--allow-empty-message']);
    await stage.check('shell-completion');
    await input().press('Tab');
    await offered.getByRole('option', { name: '--allow-empty-message', selected: true }).waitFor();
    await input().press('Enter');
    await eventually(line, 'commit --allow-empty-message ');
    await input().fill('');
    await input().press('ArrowUp');
    await eventually(line, 'cd /');
    await input().press('ArrowUp');
    await eventually(line, 'use srv://lakes/try');
    await input().press('ArrowDown');
    await input().press('ArrowDown');
    await eventually(line, '');
    await input().fill('l');
    await input().press('Escape');
    await input().press('Tab');
    await eventually(hasKeyboard, false, 'Tab leaves');
    await input().fill('');
  });

  it('asks before something is lost, and the view shows what has changed', async () => {
    await stage.open('repositories/lakes/branches');
    await page.getByRole('link', { name: 'try', exact: true }).waitFor();
    await page.keyboard.press('Control+`');
    await input().fill('branch delete try');
    await input().press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Are you sure you want to delete branch?').waitFor();
    await stage.check('shell-question');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await log().getByText('Delete branch aborted').waitFor();
    await input().fill('branch delete srv://lakes/try');
    await input().press('Enter');
    await dialog.getByRole('button', { name: 'Yes' }).click();
    await page.locator('main').getByRole('link', { name: 'try', exact: true }).waitFor({ state: 'detached' });
    await eventually(hasKeyboard, true, 'one can type on');
  });

  it('says where to run what needs a machine, and what went wrong', async () => {
    assert.match(
      await type('fs upload -s pictures srv://lakes/main/'),
      /does not run in the page: it needs files of your machine[\s\S]*In a terminal: cli fs upload -s pictures/,
    );
    assert.match(await type('download a.txt'), /In a terminal: cli fs download a\.txt/);
    assert.match(await type('local status'), /plugin local brings it for cli[\s\S]*In a terminal: cli local status/);
    assert.match(await type('ls | grep a'), /a page cannot run "grep a": filter items with \| where/);
    assert.match(await type('gc set-config srv://lakes -f rules.json'), /files of your machine cannot be read or written from the page/);
    assert.match(await type('ls srv://nowhere/main/'), /not found/i);
    stage.complaintsAbout(/404/);
    assert.match(await type('log --amont 1'), /unknown flag: --amont; did you mean --amount\?/);
    await stage.check('shell-failures');
  });

  it('stops what runs, and what does not end is ended', async () => {
    let held = 0;
    await page.context().route('**/api/v1/repositories/lakes/refs/main/objects/ls?**', () => void held++);
    await input().fill('ls srv://lakes/main/');
    await input().press('Enter');
    while (held === 0) await page.waitForTimeout(20);
    await page.getByRole('button', { name: 'Stop' }).click();
    await last().getByText('stopped', { exact: true }).waitFor();
    await page.context().unroute('**/api/v1/repositories/lakes/refs/main/objects/ls?**');
    await type('spin = n => n < 2 ? n : spin(n - 1) + spin(n - 2)');
    await input().fill('spin(80)');
    await input().press('Enter');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await input().press('Control+c');
    await last()
      .getByText(/It did not stop in time/)
      .waitFor();
    assert.match(await type('ls srv://lakes/main/'), /a\.txt/, 'the shell continues');
    stage.complaintsAbout(/ERR_ABORTED|Failed to load/);
  });

  it('has a page of its own, found in the palette, and lines that are pasted run one by one', async () => {
    await page.getByRole('button', { name: 'Close the shell' }).click();
    await input().waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('shell');
    await page.getByRole('option', { name: /^Shell/ }).click();
    await page.waitForURL(/\/shell$/);
    await input().waitFor();
    await page.evaluate("navigator.clipboard.writeText('use srv://lakes/main\\nls -o name\\nnonsense\\npwd\\n')");
    await input().focus();
    await page.keyboard.press('Control+v');
    await log().getByText('"nonsense" is neither a command nor a variable; help lists the commands').waitFor();
    await eventually(() => last().locator('.shell-said').innerText(), 'lakes/main> nonsense', 'a failure ends the paste');
    await stage.check('shell-page');
    assert.equal(await last().locator('.shell-said').innerText(), 'lakes/main> nonsense');
    await input().fill('clear');
    await input().press('Enter');
    await eventually(() => log().locator('.shell-entry').count(), 0);
  });

  it('keeps no secret and shows refusals with what to do', async () => {
    await type('auth users create --id ann');
    await type('auth groups members add --id Viewers --user ann');
    const made = JSON.parse(await type('auth users credentials create --id ann -o json')) as Record<string, string>;
    ann = { accessKeyId: made['access_key_id'] ?? '', secretAccessKey: made['secret_access_key'] ?? '' };
    const context = await stage.browser.newContext();
    const hers = await context.newPage();
    const complaints = listen(hers);
    await logIn(hers, { url: stage.srv.url, key: ann });
    await hers.goto(`${stage.srv.url}/repositories/lakes/objects?ref=main`);
    await hers.getByRole('link', { name: 'a.txt' }).waitFor();
    await hers.keyboard.press('`');
    const line = hers.getByRole('combobox', { name: /^Command at/ });
    for (const text of ['rm a.txt', 'auth users credentials create --id ann # a secret', 'ls']) await type(text, hers);
    await hers
      .getByText(/You have no permission for this: ask an administrator/)
      .first()
      .waitFor();
    await line.press('ArrowUp');
    await eventually(() => line.inputValue(), 'ls');
    await line.press('ArrowUp');
    await eventually(() => line.inputValue(), 'rm a.txt', 'a line that speaks of a secret is not kept');
    assert.deepEqual(
      complaints.filter(text => !/401|403/.test(text)),
      [],
    );
    await context.close();
  });

  it('shows hostile names as text', async () => {
    const name = '<img src=x onerror=alert(1)>\u202etxt.exe';
    await stage.client.uploadObject({ repository: 'lakes', branch: 'main', path: name, body: '<script>alert(1)</script>' });
    await stage.open('shell');
    await type('use srv://lakes/main');
    await type('ls');
    await last().getByRole('link', { name: '<img src=x onerror=alert(1)>\\u{202e}txt.exe' }).waitFor();
    await type('hostile = _.find(o => o.path.startsWith("<img")).path');
    assert.equal(await type('cat $hostile'), '<script>alert(1)</script>');
    assert.match(await type('ls -o name'), /^<img src=x onerror=alert\(1\)>\\u\{202e\}txt\.exe$/m);
    assert.equal(await page.locator('main img').count(), 0);
    await stage.check('shell-hostile');
  });

  it('ends with the session, and what one person did is not shown to the next', async () => {
    await page.context().clearCookies();
    await input().fill('ls');
    await input().press('Enter');
    await page.getByPlaceholder('Access Key ID').fill(ann.accessKeyId);
    stage.complaintsAbout(/401/);
    await page.getByPlaceholder('Secret Access Key').fill(ann.secretAccessKey);
    await page.getByRole('button', { name: 'Login' }).click();
    await input().waitFor();
    assert.match(await type('ls srv://lakes/main/'), /a\.txt/);
    assert.equal(await log().locator('.shell-entry').count(), 1, 'of the line before nothing is shown');
    await input().press('ArrowUp');
    await eventually(() => input().inputValue(), 'ls srv://lakes/main/');
    await input().press('ArrowUp');
    await input().press('x');
    await eventually(() => input().inputValue(), 'ls srv://lakes/main/x', 'there is no line before it');
  });
});
