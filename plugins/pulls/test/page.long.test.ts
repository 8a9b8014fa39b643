/** Pull requests in a browser, in front of a real server. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@srv/engine/client';
import { until } from '@srv/kernel/testing';
import { needsChromium } from '@srv/test-servers/chromium';
import { setPageStage } from '@srv/test-servers/page-stage';
import type {} from '@srv/auth/contract';
import type { Client } from '@srv/lib-api/client';
import type { Page } from '@srv/test-servers/chromium';
import type { PageStage } from '@srv/test-servers/page-stage';

describe('pull requests in Chromium', { skip: needsChromium }, () => {
  let stage: PageStage<Client>;
  let page: Page;
  before(async () => {
    stage = await setPageStage({ plugins: ['pulls', 'actions', 'hook-lua'] }, ({ url, key }) => createClient({ endpointUrl: url, ...key }));
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    await put('main', 'a.txt', 'a');
    await commit('main', 'first');
    await branchFrom('try');
    await put('try', 'b.txt', 'b');
    await commit('try', 'second');
  });
  after(() => stage?.close());

  const put = (branch: string, path: string, body: string) => stage.client.uploadObject({ repository: 'lakes', branch, path, body });
  const commit = (branch: string, message: string) => stage.client.commit({ repository: 'lakes', branch, body: { message } });
  const branchFrom = (name: string) => stage.client.createBranch({ repository: 'lakes', body: { name, source: 'main' } });
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');

  it('pull requests are made, edited and merged', async () => {
    await stage.open('repositories/lakes/compare?ref=main&compare=try');
    await button('Create Pull Request').click();
    await page.getByPlaceholder('Add a title...').waitFor();
    await stage.open('repositories/lakes/pulls');
    await page.getByRole('heading', { name: 'No open pull requests' }).waitFor();
    await stage.check('pulls-empty');
    await stage.open('repositories/lakes/pulls/create?ref=main&compare=try');
    await page.getByPlaceholder('Add a title...').fill('Add b <b>now</b>');
    await page.getByPlaceholder('Describe your changes...').fill('It is *good*. <img src=x onerror=alert(1)>');
    await page.getByText('1 change').waitFor();
    await stage.check('pull-create');
    await button('Create Pull Request').click();
    await page.getByText('main...try/').waitFor();
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    await stage.check('pull');
    await button('Merge pull request').click();
    await dialog().getByRole('button', { name: 'Yes' }).click();
    await page.getByText('merged', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Pull Requests' }).click();
    await button('Closed').click();
    await page.getByRole('link', { name: 'Add b <b>now</b>' }).waitFor();
    await page
      .getByText(/^Merged/)
      .first()
      .waitFor();
    await stage.check('pulls');
  });

  it('a pull request is approved by others than its author, and discussed in threads', async () => {
    await branchFrom('reviewed');
    await put('reviewed', 'reviewed.txt', 'x');
    await commit('reviewed', 'To be reviewed');
    await stage.open('repositories/lakes/pulls/create?ref=main&compare=reviewed');
    await page.getByPlaceholder('Add a title...').fill('Look at it');
    await button('Create Pull Request').click();
    await page.getByRole('heading', { name: 'Look at it' }).waitFor();
    const approvals = page.getByRole('region', { name: 'Approvals' });
    await approvals.getByText('0 approvals').waitFor();
    await approvals.getByRole('button', { name: 'Approve' }).and(page.locator('[aria-disabled="true"], :disabled')).waitFor();
    const comments = page.getByRole('region', { name: 'Comments' });
    await comments.getByLabel('Comment').fill('Why *empty*? <img src=x onerror=alert(1)>');
    await comments.getByRole('button', { name: 'Comment' }).click();
    const thread = page.getByRole('article', { name: /^Thread of/ });
    await thread.getByText('<img src=x onerror=alert(1)>').waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    await thread.getByLabel('Answer').fill('It is not.');
    await thread.getByRole('button', { name: 'Answer' }).click();
    await thread.getByText('It is not.').waitFor();
    await thread.getByRole('button', { name: 'Resolve' }).click();
    await thread.getByText(/^Resolved by/).waitFor();
    await stage.check('pull-reviewed');
    await page.reload();
    await thread.getByText('It is not.').waitFor();
    await thread.getByRole('button', { name: 'Open again' }).waitFor();
  });

  it('a pull request whose branch was merged elsewhere is recognised, and can only be closed', async () => {
    await branchFrom('elsewhere');
    await put('elsewhere', 'elsewhere.txt', 'x');
    await commit('elsewhere', 'Merged elsewhere');
    await stage.open('repositories/lakes/pulls/create?ref=main&compare=elsewhere');
    await page.getByPlaceholder('Add a title...').fill('Merged by hand');
    await button('Create Pull Request').click();
    await page.getByRole('heading', { name: 'Merged by hand' }).waitFor();
    await button('Merge pull request').and(page.locator(':not([aria-disabled])')).waitFor();
    await stage.client.mergeIntoBranch({ repository: 'lakes', sourceRef: 'elsewhere', destinationBranch: 'main' });
    await page.reload();
    const reason = 'main already has everything of elsewhere: it was merged elsewhere, or has no changes';
    await page.locator(`button[aria-disabled][title="${reason}"]`, { hasText: 'Merge pull request' }).waitFor();
    await stage.check('pull-merged-elsewhere');
    await button('Close pull request').click();
    await dialog().getByRole('button', { name: 'Yes' }).click();
    await page.getByText('closed', { exact: true }).waitFor();
  });

  it('reviewers are asked, and the hooks that check a merge run before it, a failed one again', async () => {
    await stage.srv.kernel.services.get('auth').createUser({ username: 'bob' });
    await branchFrom('checked');
    const action = (script: string) =>
      `name: check\non:\n  pre-merge:\nhooks:\n  - id: size\n    type: lua\n    properties: { script: "${script}" }\n`;
    await put('checked', '_srv_actions/check.yaml', action("error('too large')"));
    await commit('checked', 'To be checked');
    await stage.open('repositories/lakes/pulls/create?ref=main&compare=checked');
    await page.getByPlaceholder('Add a title...').fill('Check it');
    await button('Create Pull Request').click();
    await page.getByRole('heading', { name: 'Check it' }).waitFor();
    const reviewers = page.getByRole('region', { name: 'Reviewers' });
    await reviewers.getByText('No reviewers').waitFor();
    await reviewers.getByLabel('Reviewer').fill('bob');
    await reviewers.getByRole('button', { name: 'Ask for a review' }).click();
    await reviewers.getByText('bob', { exact: true }).waitFor();
    const checks = page.getByRole('region', { name: 'Checks' });
    await checks.getByText('none have run for this commit').waitFor();
    await checks.getByRole('button', { name: 'Run checks' }).click();
    await checks.getByText('failed', { exact: true }).first().waitFor();
    await stage.check('pull-checks');
    const link = checks.getByRole('link', { name: 'check / size' });
    const first = await link.getAttribute('href');
    await checks.getByRole('button', { name: 'Run size again' }).click();
    await until(async () => ((await link.getAttribute('href')) === first ? undefined : true));
    await checks.getByText('failed', { exact: true }).first().waitFor();
    await reviewers.getByRole('button', { name: 'Remove bob' }).click();
    await reviewers.getByText('No reviewers').waitFor();
  });

  it('a pull request is edited, closed, still seen, reopened, and not made twice', async () => {
    await branchFrom('proposal');
    await put('proposal', 'proposal.txt', 'x');
    await commit('proposal', 'Proposal');
    await stage.open('repositories/lakes/pulls/create?ref=main&compare=proposal');
    await page.getByPlaceholder('Add a title...').fill('A proposal');
    await button('Create Pull Request').click();
    await page.getByRole('heading', { name: 'A proposal' }).waitFor();
    await stage.open('repositories/lakes/pulls/create?ref=main&compare=proposal');
    await page.getByText('These branches have an open pull request already').waitFor();
    await stage.check('pull-twice');
    await page.getByRole('link', { name: 'A proposal' }).click();
    await button('Edit').click();
    await dialog().getByLabel('Title').fill('A better proposal');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'A better proposal' }).waitFor();
    await button('Close pull request').click();
    await dialog().getByRole('button', { name: 'Yes' }).click();
    await button('Reopen').waitFor();
    await page.getByText('proposal.txt').waitFor();
    await stage.check('pull-closed');
    await button('Reopen').click();
    await dialog().getByRole('button', { name: 'Yes' }).click();
    await button('Merge pull request').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'A better proposal' }).waitFor();
    await page.locator('.badge').getByText('open', { exact: true }).waitFor();
  });
});
