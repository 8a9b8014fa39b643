/** Pull requests in a browser, in front of a real server. */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import engine from '@srv/engine/operations';
import { until } from '@srv/kernel/testing';
import { createClient } from '@srv/lib-api/client';
import { needsChromium } from '@srv/test-servers/chromium';
import { isDenied, setPageStage, viewerPage } from '@srv/test-servers/page-stage';
import pulls from '../src/operations/index.js';
import type {} from '@srv/auth/contract';
import type { Client } from '@srv/lib-api/client';
import type { Page } from '@srv/test-servers/chromium';
import type { PageStage } from '@srv/test-servers/page-stage';

const operations = { ...engine, ...pulls };

describe('pull requests in Chromium', { skip: needsChromium }, () => {
  let stage: PageStage<Client>;
  let page: Page;
  before(async () => {
    stage = await setPageStage(
      { plugins: ['pulls', 'actions', 'hook-lua'], config: { 'auth.ui_config.rbac': 'internal' } },
      ({ url, key }) => createClient({ operations, endpointUrl: url, ...key }),
    );
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
    await page.getByText('wants to merge').waitFor();
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    await stage.check('pull');
    await button('Merge pull request').click();
    await dialog().getByRole('button', { name: 'Yes' }).click();
    await page.getByText('merged', { exact: true }).waitFor();
    await page.getByText('wanted to merge').waitFor();
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
    await thread.getByLabel('Reply').fill('It is not.');
    await thread.getByRole('button', { name: 'Reply' }).click();
    await thread.getByText('It is not.').waitFor();
    await thread.getByRole('button', { name: 'Resolve' }).click();
    await thread.getByText(/^Resolved by/).waitFor();
    await stage.check('pull-reviewed');
    await page.reload();
    await thread.getByText(/^Resolved by/).waitFor();
    assert.equal(await thread.getByText('It is not.').count(), 0);
    await thread.getByRole('button', { name: 'Show' }).click();
    await thread.getByText('It is not.').waitFor();
    await thread.getByRole('button', { name: 'Edit comment' }).last().click();
    await thread.getByLabel('Change').fill('It was not.');
    await thread.getByRole('button', { name: 'Change' }).click();
    await thread.getByText('It was not.').waitFor();
    await thread.getByRole('button', { name: 'Delete comment' }).last().click();
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await thread.getByText('deleted', { exact: true }).waitFor();
    await thread.getByRole('button', { name: 'Open again' }).waitFor();
    await page.getByRole('link', { name: 'Conversation (1)' }).waitFor();
  });

  it('files, lines of text and rows of tables are discussed where they changed', async () => {
    const table = (cents: number) => `id,price\n1,10\n2,20.${cents}\n3,30\n`;
    await put('main', 'notes.txt', 'one\ntwo\nthree\n');
    await put('main', 'tables/prices.csv', table(10));
    await commit('main', 'Before the discussion');
    await branchFrom('discussed');
    await put('discussed', 'notes.txt', 'one\n2\nthree\n');
    await put('discussed', 'tables/prices.csv', table(15));
    await commit('discussed', 'Change a line and a row\n\nFor reasons.');
    await stage.open('repositories/lakes/pulls/create?ref=main&compare=discussed');
    await page.getByPlaceholder('Add a title...').fill('Discuss it');
    await button('Create Pull Request').click();
    await page.getByRole('heading', { name: 'Discuss it' }).waitFor();
    await page.getByRole('link', { name: 'Commits' }).last().click();
    const commits = page.getByRole('table', { name: 'Commits of the pull request' });
    await commits.getByRole('link', { name: 'Change a line and a row' }).waitFor();
    assert.equal(await commits.getByRole('row').count(), 1);
    await stage.check('pull-commits');

    await page.getByRole('link', { name: 'Files' }).click();
    await button('Show object changes of notes.txt').click();
    const notes = page.getByRole('listitem').filter({ hasText: 'notes.txt' });
    // By keyboard, as without a mouse.
    await notes.getByRole('button', { name: 'Comment on line 2' }).focus();
    await page.keyboard.press('Enter');
    await notes.getByRole('textbox', { name: 'Comment', exact: true }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Why a digit?');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const thread = page.getByRole('article', { name: /^Thread of/ });
    await thread.getByText('Why a digit?').waitFor();
    await notes.getByLabel('Comment on the file').fill('Not needed at all.');
    await notes.getByRole('button', { name: 'Comment on the file' }).click();
    await notes.getByText('Not needed at all.').waitFor();
    await notes.getByText('2 comments').waitFor();
    await button('Show changes below tables/').click();
    await button('Show object changes of prices.csv').click();
    const prices = page.getByRole('listitem').filter({ hasText: 'prices.csv' }).last();
    await prices.getByRole('button', { name: 'Comment on row 2' }).click();
    await prices.getByLabel('Comment', { exact: true }).fill('15 cents?');
    await prices.getByRole('button', { name: 'Comment', exact: true }).click();
    await prices.getByText('15 cents?').waitFor();
    await stage.check('pull-files');

    const [pull] = (await stage.client.listPullRequests({ repository: 'lakes' })).results;
    const { results } = await stage.client.listPullRequestComments({ repository: 'lakes', pull_request: pull?.id ?? '' });
    assert.deepEqual(
      results.map(({ body, path, line }) => ({ body, path, line })),
      [
        { body: 'Why a digit?', path: 'notes.txt', line: 2 },
        { body: 'Not needed at all.', path: 'notes.txt', line: undefined },
        { body: '15 cents?', path: 'tables/prices.csv', line: 2 },
      ],
    );
    await page.getByRole('link', { name: 'Conversation (3)' }).click();
    await page.getByRole('link', { name: 'notes.txt, line 2' }).waitFor();
    await page.getByRole('link', { name: 'tables/prices.csv, row 2' }).click();
    await prices.getByText('1 comment').waitFor();
  });

  it('conflicts are shown and settled before the merge', async () => {
    await put('main', 'shared.txt', 'base\n');
    await commit('main', 'Base of a conflict');
    await branchFrom('conflicting');
    await put('conflicting', 'shared.txt', 'source\n');
    await commit('conflicting', 'Source of a conflict');
    await put('main', 'shared.txt', 'destination\n');
    await commit('main', 'Destination of a conflict');
    await stage.open('repositories/lakes/pulls/create?ref=main&compare=conflicting');
    await page.getByPlaceholder('Add a title...').fill('A conflict');
    await button('Create Pull Request').click();
    await page.getByText('1 conflict: conflicting and main both changed shared.txt.').waitFor();
    await page
      .locator('button[aria-disabled][title="both branches changed the same objects: settle the conflicts first"]', { hasText: 'Merge' })
      .waitFor();
    await stage.check('pull-conflict');
    await button('Settle the conflicts').click();
    await dialog().getByRole('button', { name: 'Compare shared.txt' }).click();
    await dialog().getByRole('button', { name: 'What main changed' }).click();
    await dialog().getByRole('row', { name: '+ destination' }).waitFor();
    await dialog().getByRole('row', { name: '- base' }).waitFor();
    await dialog().getByRole('group', { name: 'Which shared.txt' }).getByRole('button', { name: 'conflicting' }).click();
    await dialog().getByRole('button', { name: 'Settle' }).click();
    await page.getByText('Settled 1 conflict').waitFor();
    await button('Merge pull request').and(page.locator(':not([aria-disabled])')).click();
    await dialog().getByRole('button', { name: 'Yes' }).click();
    await page.getByText('merged', { exact: true }).waitFor();
    const { body } = await stage.client.getObject({ repository: 'lakes', ref: 'main', path: 'shared.txt' });
    assert.equal(await text(body), 'source\n');
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
    await reviewers.getByRole('button', { name: 'Remove bob' }).click();
    await reviewers.getByText('No reviewers').waitFor();
    await page.getByRole('link', { name: 'Checks' }).click();
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
    await page.getByText('wanted to merge').waitFor();
    await page.getByRole('link', { name: 'Files' }).click();
    await page.getByText('proposal.txt').waitFor();
    await stage.check('pull-closed');
    await button('Reopen').click();
    await dialog().getByRole('button', { name: 'Yes' }).click();
    await button('Merge pull request').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'A better proposal' }).waitFor();
    await page.locator('.badge').getByText('open', { exact: true }).waitFor();
  });

  it('an id of no pull request leads to the list', async () => {
    for (const id of ['nope', '0'.repeat(20)]) {
      await stage.open(`repositories/lakes/pulls/${id}`);
      await page.getByRole('heading', { name: 'There is no such pull request' }).waitFor();
      assert.equal(await button('Try again').count(), 0);
      stage.complaintsAbout(/40[04]/);
      await stage.check('pull-unknown');
    }
    await page.getByRole('link', { name: 'All pull requests' }).click();
    await page.getByRole('searchbox', { name: 'Find by title, author or branch' }).waitFor();
  });

  it('the text of a pull request and of a reply outlives the session', async () => {
    await branchFrom('slow');
    await put('slow', 'slow.txt', 'x');
    await commit('slow', 'Slow');
    await stage.open('repositories/lakes/pulls/create?ref=main&compare=slow');
    const context = page.context();
    const cookies = await context.cookies();
    const isOver = page.getByText('Your session has ended. Log in again in another tab');
    const logInElsewhere = async (): Promise<void> => {
      await isOver.first().waitFor();
      await context.addCookies(cookies);
      await page.evaluate("dispatchEvent(new Event('focus'))");
      await page.getByText('then come back').waitFor({ state: 'detached' });
    };
    const [title, description] = [page.getByPlaceholder('Add a title...'), page.getByPlaceholder('Describe your changes...')];
    await title.fill('Long thought of');
    await description.fill('In many words');
    await context.clearCookies();
    await button('Create Pull Request').click();
    await isOver.first().waitFor();
    await page.getByText('then come back').waitFor();
    await stage.settled();
    stage.complaintsAbout(/401/);
    await stage.check('session-over');
    await logInElsewhere();
    assert.deepEqual([await title.inputValue(), await description.inputValue()], ['Long thought of', 'In many words']);
    await button('Create Pull Request').click();
    await page.getByRole('heading', { name: 'Long thought of' }).waitFor();
    const comments = page.getByRole('region', { name: 'Comments' });
    await comments.getByLabel('Comment').fill('First');
    await comments.getByRole('button', { name: 'Comment' }).click();
    const thread = page.getByRole('article', { name: /^Thread of/ });
    const reply = thread.getByLabel('Reply');
    await reply.fill('Second, after a while');
    await context.clearCookies();
    await thread.getByRole('button', { name: 'Reply' }).click();
    await logInElsewhere();
    stage.complaintsAbout(/401/);
    assert.equal(await reply.inputValue(), 'Second, after a while');
    await thread.getByRole('button', { name: 'Reply' }).click();
    await thread.getByText('Second, after a while').and(page.locator('p')).waitFor();
    await page.getByRole('link', { name: 'Conversation (2)' }).waitFor();
  });

  it('controls of what a user may not do are off, and say why', async () => {
    await branchFrom('viewed');
    await put('viewed', 'viewed.txt', 'x');
    await commit('viewed', 'Viewed');
    const { id } = await stage.client.createPullRequest({
      repository: 'lakes',
      body: { title: 'Viewed', source_branch: 'viewed', destination_branch: 'main' },
    });
    const viewer = await viewerPage(stage, 'vera', ['pr:Read*', 'pr:List*']);
    const denied = async (path: string, names: readonly string[], action: string): Promise<void> => {
      await viewer.goto(`${stage.srv.url}/repositories/lakes/pulls${path}`);
      for (const name of names) await isDenied(viewer, name, action);
    };
    await denied('', ['Create Pull Request'], 'pr:WritePullRequest');
    await denied('/create?ref=main&compare=viewed', ['Create Pull Request'], 'pr:WritePullRequest');
    await denied(`/${id}`, ['Edit', 'Close pull request', 'Merge pull request', 'Comment'], 'pr:WritePullRequest');
    await isDenied(viewer, 'Approve', 'pr:ApprovePullRequest');
    await viewer.context().close();
  });
});
