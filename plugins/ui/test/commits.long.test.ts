/** What is done with commits, with uncommitted changes and with single objects. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { needsChromium } from '@srv/test-servers/chromium';
import { eventually } from '@srv/test-servers/eventually';
import { setStage } from './support/page.js';
import type { Page } from '@srv/test-servers/chromium';
import type { Stage } from './support/page.js';

describe('commits and changes in Chromium', { skip: needsChromium }, () => {
  let stage: Stage;
  let page: Page;
  const at = { repository: 'lakes' };
  before(async () => {
    stage = await setStage();
    ({ page } = stage);
    await stage.client.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    for (const name of ['one', 'two', 'three']) {
      await put('main', `${name}.txt`, name);
      await commit('main', `Add ${name}`);
    }
  });
  after(() => stage?.close());

  const put = (branch: string, path: string, body: string) => stage.client.uploadObject({ ...at, branch, path, body });
  const commit = (branch: string, message: string) => stage.client.commit({ ...at, branch, body: { message } });
  const branchFrom = (name: string, source = 'main') => stage.client.createBranch({ ...at, body: { name, source } });
  const log = async (ref: string) => (await stage.client.logCommits({ ...at, ref })).results.map(({ message }) => message);
  const paths = async (ref: string) => (await stage.client.listObjects({ ...at, ref })).results.map(({ path }) => path);
  const read = async (ref: string, path: string) => {
    const { body } = await stage.client.getObject({ ...at, ref, path });
    return Buffer.concat(await body.toArray()).toString();
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = () => page.getByRole('dialog');
  const gone = () => dialog().waitFor({ state: 'detached' });
  const row = (name: string | RegExp) => page.getByRole('row', { name });
  const act = async (name: string, action: string | RegExp): Promise<void> => {
    await row(name)
      .getByRole('button', { name: /^Actions for/ })
      .click();
    await page.getByRole('menuitem', { name: action }).click();
  };

  it('are found by message, author, metadata and days, which the address keeps', async () => {
    await branchFrom('found');
    await put('found', 'four.txt', 'four');
    await stage.client.commit({ ...at, branch: 'found', body: { message: 'Add four', metadata: { ticket: 'ABC-42' } } });
    const links = () => page.getByRole('link', { name: /^Add / }).allTextContents();
    await stage.open('repositories/lakes/commits?ref=found');
    await eventually(links, ['Add four', 'Add three', 'Add two', 'Add one']);
    const search = page.getByRole('searchbox', { name: 'Message, author, id or metadata' });
    await search.fill('TICKET=abc');
    await eventually(links, ['Add four']);
    await stage.check('log-found');
    await page.waitForURL(/q=TICKET/);
    await page.reload();
    await eventually(() => search.inputValue(), 'TICKET=abc');
    await eventually(links, ['Add four']);
    await search.fill('three');
    await eventually(links, ['Add three']);
    await page.getByLabel('Until').fill('2001-01-01');
    await page.getByText('No commit matches').waitFor();
    await page.getByLabel('Until').fill('');
    await search.fill('');
    await page.getByLabel('From').fill('2001-01-01');
    await eventually(links, ['Add four', 'Add three', 'Add two', 'Add one']);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('abc-42');
    await page.getByRole('option', { name: /Add four/ }).waitFor();
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('add tw');
    await page.getByRole('option', { name: /Add two/ }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('several commits are reverted one after the other, and cancelling changes nothing', async () => {
    await branchFrom('revert');
    await stage.open('repositories/lakes/commits?ref=revert');
    await page.getByRole('button', { name: 'Revert', exact: true }).click();
    for (const name of ['Add three', 'Add two']) await page.getByRole('checkbox', { name: `Revert ${name}` }).check();
    await button('Continue (2)').click();
    await dialog().getByText('Commits to Revert (in order)').waitFor();
    await dialog().getByLabel('Allow empty commit').waitFor();
    assert.equal(await dialog().getByLabel('Commit Message').count(), 0);
    assert.equal(await dialog().getByRole('button', { name: 'Add Metadata field' }).count(), 0);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await gone();
    assert.equal((await log('revert')).length, 4);
    await button('Continue (2)').click();
    await dialog().getByLabel('Allow empty commit').check();
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await gone();
    assert.deepEqual(await paths('revert'), ['one.txt']);
    assert.equal((await log('revert')).length, 6);
    await eventually(() => page.getByRole('button', { name: 'Revert', exact: true }).getAttribute('aria-pressed'), 'false');
  });

  it('a revert of several commits that fails continues with those that are left', async () => {
    await branchFrom('halfway');
    await stage.open('repositories/lakes/commits?ref=halfway');
    await page.getByRole('button', { name: 'Revert', exact: true }).click();
    for (const name of ['Add three', 'Add two', 'Add one']) await page.getByRole('checkbox', { name: `Revert ${name}` }).check();
    await button('Continue (3)').click();
    let requests = 0;
    const isRevert = '**/branches/halfway/revert';
    await page.route(isRevert, route =>
      ++requests === 2 ? route.fulfill({ status: 503, json: { message: 'not now' } }) : route.continue(),
    );
    await dialog().getByLabel('Allow empty commit').check();
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await dialog()
      .getByText(/^[0-9a-f]+ was not reverted: not now$/)
      .waitFor();
    await dialog().getByText('Commits to Revert (in order); 1 commit reverted').waitFor();
    await eventually(
      async () => (await dialog().getByRole('listitem').allTextContents()).map(text => text.replace(/^\S+ /, '')),
      ['Add two', 'Add one'],
    );
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await gone();
    await page.unroute(isRevert);
    stage.complaintsAbout(/503/);
    assert.equal(requests, 4);
    assert.deepEqual(await paths('halfway'), []);
    assert.equal((await log('halfway')).length, 7);
  });

  it('commits that are ticked for a revert belong to the branch and the filter that are shown', async () => {
    await branchFrom('ticked');
    await branchFrom('unticked');
    await stage.client.createTag({ ...at, body: { id: 'ticked-tag', ref: 'ticked' } });
    await stage.open('repositories/lakes/commits?ref=ticked');
    const toggle = page.getByRole('button', { name: 'Revert', exact: true });
    const box = (name: string) => page.getByRole('checkbox', { name: `Revert ${name}` });
    const show = async (from: string, to: string): Promise<void> => {
      await page.getByRole('button', { name: new RegExp(`: ${from}$`) }).click();
      await page.getByRole('combobox').fill(to);
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(`ref=${to}(&|$)`));
    };
    await toggle.click();
    for (const name of ['Add three', 'Add two']) await box(name).check();
    const search = page.getByRole('searchbox', { name: 'Message, author, id or metadata' });
    await search.fill('three');
    await button('Continue (0)').waitFor();
    assert.equal(await box('Add three').isChecked(), false);
    await box('Add three').check();
    await button('Continue (1)').click();
    await eventually(() => dialog().getByRole('listitem').count(), 1);
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await search.fill('');
    await box('Add two').waitFor();
    await button('Continue (0)').waitFor();
    await box('Add two').check();
    await show('ticked', 'unticked');
    await button('Continue (0)').waitFor();
    assert.equal(await box('Add two').isChecked(), false);
    await box('Add two').check();
    await button('Continue (1)').click();
    await dialog().getByText('New commits on unticked').waitFor();
    await page.goBack();
    await gone();
    await button('Continue (0)').waitFor();
    await box('Add three').check();
    await button('Continue (1)').waitFor();
    assert.equal(await dialog().count(), 0);
    await show('ticked', 'ticked-tag');
    await page.getByRole('link', { name: 'Add two' }).waitFor();
    await eventually(() => box('Add two').count(), 0);
    await eventually(() => toggle.getAttribute('aria-pressed'), 'false');
    await eventually(() => button(/^Continue/).count(), 0);
    await stage.client.deleteTag({ ...at, tag: 'ticked-tag' });
  });

  it('a deleted branch is shown on request, and restored', async () => {
    await branchFrom('lost');
    await put('lost', 'lost.txt', 'found');
    await commit('lost', 'Work that is lost');
    await stage.client.deleteBranch({ ...at, branch: 'lost' });
    await stage.open('repositories/lakes/branches');
    await page.getByText('Deleted branches').click();
    const deleted = page.getByRole('region', { name: 'Deleted branches' });
    await deleted.getByText('lost').waitFor();
    await deleted.getByRole('button', { name: 'Restore' }).click();
    await row(/lost/).waitFor();
    await deleted.getByText('No deleted branch can be restored').waitFor();
    assert.equal(await read('lost', 'lost.txt'), 'found');
  });

  it('a revert takes metadata, each key once', async () => {
    await stage.open('repositories/lakes/commits?ref=revert');
    await act('Add one', 'Revert on revert');
    await button('Add Metadata field').click();
    await button('Add Metadata field').click();
    await dialog().getByLabel('Key 1').fill('reason');
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await dialog().getByText('Key is required').first().waitFor();
    await dialog().getByLabel('Value 1').fill('wrong');
    await dialog().getByLabel('Key 2').fill('by');
    await dialog().getByLabel('Value 2').fill('ann');
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await gone();
    const [made] = (await stage.client.logCommits({ ...at, ref: 'revert', amount: 1 })).results;
    assert.deepEqual([made?.message, made?.metadata], ['Revert "Add one"', { reason: 'wrong', by: 'ann' }]);
  });

  it('a merge is reverted against the parent that stays', async () => {
    await branchFrom('side', 'main~1');
    await put('side', 'side.txt', 'side');
    await commit('side', 'On the side');
    await branchFrom('joined');
    await stage.client.mergeIntoBranch({ ...at, sourceRef: 'side', destinationBranch: 'joined', body: { message: 'Join' } });
    await stage.open('repositories/lakes/commits?ref=joined');
    await act('Join', 'Revert on joined');
    await dialog().getByLabel('Keep which parent of merge commits').selectOption('1');
    await stage.check('revert-merge');
    await dialog().getByRole('button', { name: 'Apply' }).click();
    await gone();
    assert.deepEqual(await paths('joined'), ['one.txt', 'three.txt', 'two.txt']);
  });

  it('a commit row makes a branch, a cherry-pick and a reset', async () => {
    await stage.open('repositories/lakes/commits?ref=main');
    await act('Add two', 'Create branch here');
    await dialog().getByPlaceholder('Branch Name').fill('from-row');
    await dialog().getByRole('button', { name: 'Create', exact: true }).click();
    await gone();
    assert.deepEqual(await paths('from-row'), ['one.txt', 'two.txt']);
    await stage.open('repositories/lakes/commits?ref=side');
    await act('On the side', 'Cherry-pick to a branch');
    await dialog()
      .getByRole('button', { name: /^Onto branch/ })
      .click();
    await page.getByRole('option').getByText('from-row', { exact: true }).click();
    await dialog().getByRole('button', { name: 'Cherry-pick' }).click();
    await page.getByRole('heading', { name: 'On the side' }).waitFor();
    assert.deepEqual(await paths('from-row'), ['one.txt', 'side.txt', 'two.txt']);
    await stage.open('repositories/lakes/commits?ref=from-row');
    await act('Add one', 'Reset from-row to here');
    await dialog().getByRole('button', { name: 'Yes, reset the branch' }).click();
    await gone();
    assert.deepEqual(await log('from-row'), ['Add one', 'Repository created']);
  });

  it('a tag has a log, too', async () => {
    await stage.client.createTag({ ...at, body: { id: 'v1', ref: 'main~1' } });
    await stage.open('repositories/lakes/commits?ref=v1');
    await page.getByRole('link', { name: 'Add two' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Add three' }).count(), 0);
    await eventually(() => button('Revert').getAttribute('title'), /choose a branch/);
    await stage.check('commits-of-tag');
  });

  it('single changes are reverted, and then all', async () => {
    await branchFrom('dirty');
    for (const path of ['one.txt', 'new/a', 'new/b', 'other']) await put('dirty', path, 'changed');
    await stage.open('repositories/lakes/objects?ref=dirty&showChanges=true');
    await page.getByText('Showing 4 changes for branch dirty').waitFor();
    await button('Revert one.txt').click();
    await dialog().getByRole('button', { name: 'Yes, revert' }).click();
    await page.getByText('Showing 3 changes for branch dirty').waitFor();
    assert.equal(await read('dirty', 'one.txt'), 'one');
    await button('Revert new/').click();
    await dialog().getByRole('button', { name: 'Yes, revert' }).click();
    await page.getByText('Showing 1 change for branch dirty').waitFor();
    await button('Revert').and(page.locator('.toolbar button')).click();
    await dialog().getByRole('button', { name: 'Yes, revert' }).click();
    await button('Uncommitted Changes').waitFor({ state: 'detached' });
    assert.deepEqual(await paths('dirty'), await paths('main'));
  });

  it('an object is deleted from its row, and a folder with all that is below it', async () => {
    for (const path of ['images/1', 'images/2', 'images/deep/3']) await put('dirty', path, path);
    // More than one page of a list holds.
    for (let i = 0; i < 1000; i += 50) await Promise.all(Array.from({ length: 50 }, (_, j) => put('dirty', `images/many/${i + j}`, 'x')));
    await stage.open('repositories/lakes/objects?ref=dirty&path=images/');
    await act('1', 'Delete');
    await dialog().getByRole('button', { name: 'Yes, delete' }).click();
    await row('1').waitFor({ state: 'detached' });
    await stage.open('repositories/lakes/objects?ref=dirty');
    await act('images/', 'Calculate Size');
    await dialog().getByText('1,002 objects, ').waitFor();
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await act('images/', 'Delete folder');
    await stage.check('delete-folder');
    await dialog().getByRole('button', { name: 'Yes, delete' }).click();
    await row('images/').waitFor({ state: 'detached' });
    assert.deepEqual(await paths('dirty'), await paths('main'));
  });

  it('a conflict is won by the side that the strategy says, in one commit where that is asked', async () => {
    await branchFrom('ours');
    await branchFrom('theirs');
    for (const branch of ['ours', 'theirs']) {
      await put(branch, 'both.txt', `text of ${branch}`);
      await commit(branch, `Both on ${branch}`);
    }
    await stage.open('repositories/lakes/compare?ref=ours&compare=theirs');
    await button('Merge').click();
    await dialog().getByLabel('Strategy').selectOption('source-wins');
    await dialog()
      .getByLabel(/^Squash/)
      .check();
    await dialog().getByPlaceholder('Commit Message (Optional)').fill('Squashed');
    await dialog().getByRole('button', { name: 'Merge' }).click();
    await gone();
    const [made] = (await stage.client.logCommits({ ...at, ref: 'ours', amount: 1 })).results;
    assert.deepEqual([made?.message, made?.parents.length], ['Squashed', 1]);
    await stage.open('repositories/lakes/object?ref=ours&path=both.txt');
    await page.getByText('text of theirs').waitFor();
  });

  it('a branch is merged from its row', async () => {
    await branchFrom('topic');
    await put('topic', 'topic.txt', 'topic');
    await commit('topic', 'Topic');
    await stage.open('repositories/lakes/branches');
    await page.getByRole('searchbox', { name: 'Find a branch' }).fill('opi');
    await act('topic', 'Merge into main');
    await dialog().getByText('Merge topic into main').waitFor();
    await stage.check('merge-from-branches');
    await dialog().getByRole('button', { name: 'Merge' }).click();
    await gone();
    assert.ok((await paths('main')).includes('topic.txt'));
  });

  it('branches are sorted by their last commits', async () => {
    await stage.client.createBranch({ ...at, body: { name: 'aaa', source: 'main~2' } });
    await branchFrom('zzz');
    await put('zzz', 'newest.txt', 'x');
    await stage.client.commit({ ...at, branch: 'zzz', body: { message: 'Newest', date: 4_000_000_000 } });
    await stage.open('repositories/lakes/branches');
    const names = () => page.locator('main [role=row] .cell-name a').allTextContents();
    await eventually(async () => (await names())[0], 'aaa');
    await button('Last commit').click();
    await page.locator('main [role=row] .cell-name a').first().getByText('zzz').waitFor();
    await page.getByRole('columnheader', { name: 'Last commit ↓' }).waitFor();
    await stage.check('branches-newest');
    await button(/^Last commit/).click();
    await page.locator('main [role=row] .cell-name a').first().getByText('aaa').waitFor();
  });

  it('a repository has metadata, which is edited', async () => {
    await stage.client.setRepositoryMetadata({ ...at, body: { metadata: { owner: 'ann', old: 'yes' } } });
    await stage.open('repositories/lakes/settings/general');
    await page.getByText('ann').waitFor();
    await button('Edit Metadata').click();
    await dialog().getByLabel('Value 2').fill('bob');
    await dialog().getByRole('button', { name: 'Remove row 1' }).click();
    await button('Add Metadata field').click();
    await dialog().getByLabel('Key 2').fill('purpose');
    await dialog().getByLabel('Value 2').fill('tests');
    await stage.check('repository-metadata');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByText('bob').waitFor();
    assert.deepEqual(await stage.client.getRepositoryMetadata(at), { owner: 'bob', purpose: 'tests' });
  });

  it('branches say how far they are from the default branch, commits have a title and a text, and a ref that is gone leaves the picker', async () => {
    const rivers = { repository: 'rivers' };
    await stage.client.createRepository({ body: { name: 'rivers', storage_namespace: 'local://rivers' } });
    const change = async (branch: string, path: string, message: string) => {
      await stage.client.uploadObject({ ...rivers, branch, path, body: path });
      return stage.client.commit({ ...rivers, branch, body: { message } });
    };
    for (const name of ['both', 'same']) await stage.client.createBranch({ ...rivers, body: { name, source: 'main' } });
    await change('both', 'a.csv', 'One');
    const { id } = await change('both', 'b.png', 'A title\n\nThe text\n  of it');
    await change('main', 'c', 'On the default branch');
    await stage.open('repositories/rivers/branches');
    await row(/^Select both/)
      .getByText('2 ahead · 1 behind', { exact: true })
      .waitFor();
    await row(/^Select same/)
      .getByText('1 behind', { exact: true })
      .waitFor();
    await stage.check('branches-standing');
    await stage.open(`repositories/rivers/commits/${id}`);
    await page.getByRole('heading', { name: 'A title', exact: true }).waitFor();
    assert.equal(await page.locator('.commit-message').innerText(), 'The text\n  of it');
    await stage.open('repositories/rivers/objects?ref=gone');
    stage.complaintsAbout(/404/);
    await page.getByRole('heading', { name: 'There is no gone here' }).waitFor();
    await button('ref: gone').click();
    await page.getByRole('option').getByText('both', { exact: true }).click();
    await page.getByRole('link', { name: 'b.png' }).waitFor();
    // The bar stays when the page is scrolled.
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.evaluate('document.querySelector("main").style.minHeight = "3000px"; scrollTo(0, 1500)');
    await eventually(() => page.evaluate('[scrollY > 1000, document.querySelector(".bar").getBoundingClientRect().top]'), [true, 0]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('a repository goes when its name is typed', async () => {
    await stage.open('repositories/rivers/settings/general');
    await button('Delete Repository').click();
    const confirm = dialog().getByRole('button', { name: 'I understand, delete this repository' });
    await dialog().getByLabel('Type rivers to confirm').fill('river');
    await confirm.click();
    await dialog().getByText('Type rivers to confirm.').waitFor();
    await dialog().getByLabel('Type rivers to confirm').fill('rivers');
    await confirm.click();
    await page.getByRole('heading', { name: 'Repositories', exact: true }).waitFor();
    assert.deepEqual(
      (await stage.client.listRepositories({})).results.map(({ id }) => id),
      ['lakes'],
    );
  });
});
