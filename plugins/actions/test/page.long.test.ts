/** Runs of actions in a browser, in front of a real server. */
import { after, before, describe, it } from 'node:test';
import { createClient } from '@srv/engine/client';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { isDenied, setPageStage, viewerPage } from '@srv/test-servers/page-stage';
import type { Client } from '@srv/lib-api/client';
import type { Page } from '@srv/test-servers/chromium';
import type { PageStage } from '@srv/test-servers/page-stage';

const action = (script: string) => `name: check
on:
  pre-commit:
    branches: [main]
hooks:
  - id: hello
    type: lua
    properties:
      script: |
        ${script}
`;

describe('actions in Chromium', { skip: needsChromium }, () => {
  let stage: PageStage<Client>;
  let page: Page;
  before(async () => {
    stage = await setPageStage({ plugins: ['actions', 'hook-lua'], config: { 'auth.ui_config.rbac': 'internal' } }, ({ url, key }) =>
      createClient({ endpointUrl: url, ...key }),
    );
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    await put('main', 'a.txt', 'a');
    await commit('main', 'first');
  });
  after(() => stage?.close());

  const put = (branch: string, path: string, body: string) => stage.client.uploadObject({ repository: 'lakes', branch, path, body });
  const commit = (branch: string, message: string) => stage.client.commit({ repository: 'lakes', branch, body: { message } });
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');

  it('a hook that refuses keeps the message, and its run shows what it printed', async () => {
    await stage.open('repositories/lakes/actions');
    await page.getByText('No action has run yet').waitFor();
    await stage.check('actions-empty');
    await put('main', '_srv_actions/check.yaml', action("print('<script>alert(1)</script>'); error('the format is wrong')"));
    await stage.open('repositories/lakes/objects');
    await button('Commit Changes').click();
    await dialog().getByLabel('Commit Message').fill('a text that took long');
    await dialog().getByRole('button', { name: 'Commit Changes' }).click();
    await dialog()
      .locator('strong', { hasText: /the format is wrong/ })
      .waitFor();
    await dialog().getByText('said the hook hello of').waitFor();
    await eventually(() => dialog().getByLabel('Commit Message').inputValue(), 'a text that took long');
    stage.complaintsAbout(/412/);
    await stage.check('commit-refused');
    await dialog()
      .getByRole('link', { name: /^See the run/ })
      .click();
    await page
      .getByText(/failed/)
      .first()
      .waitFor();
    await stage.open('repositories/lakes/actions');
    await page.getByRole('link', { name: /pre-commit/ }).click();
    await page.getByText('<script>alert(1)</script>').waitFor();
    await stage.check('run');
    const run = page.url();
    const viewer = await viewerPage(stage, 'vera', ['ci:Read*']);
    await viewer.goto(run);
    for (const name of ['Run hello again', /^Run again/]) await isDenied(viewer, name, 'fs:CreateCommit');
    await viewer.context().close();
    await button('Run hello again').click();
    await page.getByRole('link', { name: run.split('/').at(-1) ?? '', exact: true }).waitFor();
    await page.getByText('failed', { exact: true }).first().waitFor();
    await page.getByText('<script>alert(1)</script>').waitFor();
    await stage.check('run-again');
    await button('Run again').and(page.locator(':not([aria-disabled="true"])')).click();
    await page.waitForURL(url => url.href !== run);
    await stage.open('repositories/lakes/actions');
    await stage.check('actions');
    await stage.client.resetBranch({ repository: 'lakes', branch: 'main', body: { type: 'reset' } });
    await stage.client.createBranch({ repository: 'lakes', body: { name: 'checked', source: 'main' } });
    await put('checked', '_srv_actions/check.yaml', action("print('fine')").replace('[main]', '[checked]'));
    const { id } = await stage.client.commit({ repository: 'lakes', branch: 'checked', body: { message: 'third' } });
    await stage.open(`repositories/lakes/commits/${id}`);
    const runs = page.getByRole('region', { name: 'Action runs' });
    await runs.getByText('completed').waitFor();
    await stage.check('commit-runs');
    await runs.getByRole('link', { name: /pre-commit/ }).click();
    await page.getByText('fine').waitFor();
    await stage.open('repositories/lakes/branches');
    await button('Actions for checked').click();
    await page.getByRole('menuitem', { name: 'Action runs' }).click();
    await page.getByRole('link', { name: /pre-commit/ }).waitFor();
  });
});
