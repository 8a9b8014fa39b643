/** Reviewers, checks, and what is announced about pull requests. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import actionOperations from '@srv/actions/operations';
import { isSrvError } from '@srv/kernel';
import { until } from '@srv/kernel/testing';
import { ApiError, createClient } from '@srv/lib-api/client';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { startSrv } from '@srv/test-servers';
import { prChecks } from '../src/cli/checks.js';
import { prCreate } from '../src/cli/create.js';
import { prReviewers } from '../src/cli/reviewers.js';
import { prShow } from '../src/cli/show.js';
import operations from '../src/operations/index.js';
import type { TestContext } from 'node:test';
import type {} from '@srv/auth/contract';
import type {} from '@srv/engine/contract';
import type { EmailMessage, ErrorCode, Kernel } from '@srv/kernel';
import type { EventPayload } from '@srv/lib-api/hook-types';
import type { CommandContext, CommandInput } from '@srv/lib-commands';
import type { Author } from '../src/contract.js';

const repository = 'lakes';
const fails = (code: ErrorCode, message: RegExp) => (error: unknown) => isSrvError(error, code) && message.test(error.message);
const refused = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.status === status && message.test(error.message);
const as = (username: string): Author => ({ username, committer: username });

/** Hooks of the type `probe` record their payloads, and fail while `failing` names them. */
async function openServer(t: TestContext, config: Readonly<Record<string, unknown>> = {}) {
  const payloads: EventPayload[] = [];
  const mail: EmailMessage[] = [];
  const failing = new Set<string>();
  const run = ({ hookId, payload }: { readonly hookId: string; readonly payload: EventPayload }) => {
    payloads.push(payload);
    return failing.has(hookId) ? Promise.reject(new Error('no')) : Promise.resolve();
  };
  const plugin = {
    name: 'probe',
    apply({ hooks }: Kernel) {
      hooks.hookType.for('probe').tap('probe', () => ({ properties: { validate: (value: unknown) => ({ value }) }, run }));
      hooks.email.tapPromise('probe', async message => {
        mail.push(message);
        return { accepted: true };
      });
    },
  };
  const rbac = { 'auth.ui_config.rbac': 'internal' };
  const srv = await startSrv({ plugins: ['pulls', 'actions'], inline: [{ plugin }], config: { ...rbac, ...config } });
  t.after(srv.stop);
  const { services } = srv.kernel;
  const [engine, auth, pulls] = [services.get('engine'), services.get('auth'), services.get('pulls')];
  await engine.createRepository({ id: repository, storageNamespace: 'local://lakes' });
  const put = async (branch: string, path: string, text: string): Promise<void> => {
    await engine.putObject(repository, branch, path, Buffer.from(text), {});
    await engine.commit(repository, branch, { committer: 'ann', message: path });
  };
  const connect = (key: typeof srv.key) => {
    const all = { ...operations, ...actionOperations };
    const client = createClient({ operations: all, endpointUrl: srv.url, retries: { enabled: false }, ...key });
    t.after(() => client.close());
    return client;
  };
  const client = connect(srv.key);
  const command = (name: string, args: readonly string[], options: CommandInput['options'] = {}) =>
    runCommand(
      [prShow, prChecks, prReviewers, prCreate] as never,
      fakeContext({}, { client: (async () => client) as unknown as CommandContext['client'] }),
      name,
      args,
      options,
    );
  return { ...srv, engine, auth, pulls, put, client, connect, command, payloads, mail, failing };
}

type Server = Awaited<ReturnType<typeof openServer>>;

const file = (event: string, ...hooks: readonly string[]): string =>
  `name: check\non:\n  ${event}:\n    branches: [main]\nhooks:\n${hooks.map(id => `  - {id: ${id}, type: probe, properties: {a: b}}\n`).join('')}`;

async function propose({ engine, put, pulls }: Server, author = 'ann', branch = 'dev'): Promise<string> {
  await engine.createBranch(repository, branch, 'main');
  await put(branch, `${branch}.txt`, 'x');
  return (await pulls.create(repository, { title: 'Add it', author, source: branch, destination: 'main' })).id;
}

const settled = ({ pulls }: Server, id: string) =>
  until(async () => {
    const state = await pulls.checks.state(repository, id);
    return state.status === 'running' || state.status === 'none' ? undefined : state;
  });

describe('reviewers', () => {
  it('are asked once, listed and removed, and are neither the author nor unknown', async t => {
    const srv = await openServer(t);
    for (const username of ['bob', 'eve', 'ann']) await srv.auth.createUser({ username });
    const id = await propose(srv);
    const at = { repository, pull_request: id };
    await srv.client.requestPullRequestReview({ ...at, reviewer: 'eve' });
    await srv.client.requestPullRequestReview({ ...at, reviewer: 'bob' });
    await srv.client.requestPullRequestReview({ ...at, reviewer: 'bob' });
    const { results } = await srv.client.listPullRequestReviewers(at);
    assert.deepEqual(
      results.map(({ user_id, requested_by }) => [user_id, requested_by]),
      [
        ['bob', 'admin'],
        ['eve', 'admin'],
      ],
    );
    await assert.rejects(srv.client.requestPullRequestReview({ ...at, reviewer: 'ann' }), refused(403, /authors cannot review their own/));
    await assert.rejects(srv.client.requestPullRequestReview({ ...at, reviewer: 'nemo' }), refused(404, /user/));
    await srv.client.removePullRequestReviewer({ ...at, reviewer: 'eve' });
    await srv.client.removePullRequestReviewer({ ...at, reviewer: 'eve' });
    assert.deepEqual(
      (await srv.pulls.reviewers.list(repository, id)).map(({ username }) => username),
      ['bob'],
    );
    await srv.pulls.update(repository, id, { status: 'closed' });
    await assert.rejects(srv.pulls.reviewers.request(repository, id, 'eve', as('ann')), fails('invalid', /is closed/));
    await assert.rejects(srv.pulls.reviewers.list(repository, 'coddo7tpocvs73ftd7u0'), fails('not_found', /pull request not found/));
  });

  it('are at most fifty, and those of one pull request are not those of another', async t => {
    const srv = await openServer(t);
    const first = await propose(srv);
    const second = await propose(srv, 'ann', 'other');
    for (let i = 0; i < 51; i++) await srv.auth.createUser({ username: `user-${i}` });
    for (let i = 0; i < 50; i++) await srv.pulls.reviewers.request(repository, first, `user-${i}`, as('ann'));
    await assert.rejects(srv.pulls.reviewers.request(repository, first, 'user-50', as('ann')), fails('invalid', /at most 50 are possible/));
    await srv.pulls.reviewers.request(repository, second, 'user-50', as('ann'));
    assert.deepEqual(
      (await srv.pulls.reviewers.list(repository, second)).map(({ username }) => username),
      ['user-50'],
    );
  });
});

describe('comments', () => {
  it('of one pull request are not those of another, on any page', async t => {
    const srv = await openServer(t);
    const pulls = [await propose(srv), await propose(srv, 'ann', 'other'), await propose(srv, 'ann', 'third')];
    for (const pull_request of pulls)
      for (const body of ['one', 'two', 'three'])
        await srv.client.createPullRequestComment({ repository, pull_request, body: { body: `${body} of ${pull_request}` } });
    for (const pull_request of pulls) {
      const bodies: string[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const page: { results: readonly { body: string }[]; pagination: { has_more: boolean; next_offset: string } } =
          await srv.client.listPullRequestComments({ repository, pull_request, after, amount: 2 });
        bodies.push(...page.results.map(({ body }) => body));
        after = page.pagination.has_more ? page.pagination.next_offset : undefined;
      }
      assert.deepEqual(
        bodies,
        ['one', 'two', 'three'].map(body => `${body} of ${pull_request}`),
      );
    }
  });
});

describe('checks', () => {
  it('are the hooks of merges, before one: newest results for the head of the source, and nothing is merged', async t => {
    const srv = await openServer(t);
    const id = await propose(srv);
    await assert.rejects(srv.pulls.checks.run(repository, id, as('ann')), fails('invalid', /no hook checks merges of dev into main/));
    assert.equal((await srv.pulls.checks.state(repository, id)).status, 'none');
    await srv.put('dev', '_srv_actions/check.yaml', file('pre-merge', 'size', 'format'));
    const before = await srv.engine.getBranch(repository, 'main');
    srv.failing.add('size');
    const first = await srv.pulls.checks.run(repository, id, as('ann'));
    let state = await settled(srv, id);
    const { commitId: head } = await srv.engine.getBranch(repository, 'dev');
    assert.deepEqual([state.status, state.commitId], ['failed', head]);
    assert.deepEqual(
      state.checks.map(({ runId, hookId, status }) => [runId, hookId, status]),
      [
        [first, 'format', 'skipped'],
        [first, 'size', 'failed'],
      ],
    );
    const [payload] = srv.payloads;
    assert.deepEqual(
      [payload?.event_type, payload?.branch_id, payload?.source_ref, payload?.merge_source, payload?.commit_message],
      ['pre-merge', 'main', head, 'dev', "Merge 'dev' into 'main'"],
    );
    const candidate = await srv.engine.getCommit(repository, payload?.commit_id ?? '');
    assert.deepEqual(candidate.parents, [before.commitId, head]);
    assert.deepEqual(await srv.engine.getBranch(repository, 'main'), before);

    srv.failing.clear();
    const failed = state.checks.find(({ hookId }) => hookId === 'size');
    await srv.kernel.services.get('actions').again(repository, first, { ...as('ann'), user: 'ann', hookRunId: failed?.hookRunId ?? '' });
    state = await until(async () => {
      const found = await srv.pulls.checks.state(repository, id);
      return found.status === 'passed' ? found : undefined;
    });
    assert.deepEqual(
      state.checks.map(({ status }) => status),
      ['skipped', 'completed'],
    );

    await srv.put('dev', 'more.txt', 'x');
    assert.equal((await srv.pulls.checks.state(repository, id)).status, 'none', 'another commit has not been checked');
    await srv.pulls.merge(repository, id, { committer: 'ann' });
    state = await srv.pulls.checks.state(repository, id);
    assert.deepEqual(
      state.checks.map(({ hookId, status }) => [hookId, status]),
      [
        ['format', 'completed'],
        ['size', 'completed'],
      ],
    );
    await assert.rejects(srv.pulls.checks.run(repository, id, as('ann')), fails('invalid', /is merged/));
  });

  it('of a merge that a hook refused are seen, and those of a direct merge', async t => {
    const srv = await openServer(t);
    const id = await propose(srv);
    await srv.put('dev', '_srv_actions/check.yaml', file('pre-merge', 'size'));
    srv.failing.add('size');
    await assert.rejects(srv.pulls.merge(repository, id, { committer: 'ann' }), fails('hook_aborted', /size/));
    assert.equal((await srv.pulls.checks.state(repository, id)).status, 'failed');
    srv.failing.clear();
    await srv.engine.merge(repository, 'dev', 'main', { committer: 'ann' });
    assert.equal((await srv.pulls.checks.state(repository, id)).status, 'passed');
  });

  it('of branches that conflict, or have nothing to merge, say so', async t => {
    const srv = await openServer(t);
    const id = await propose(srv);
    await srv.put('dev', '_srv_actions/check.yaml', file('pre-merge', 'size'));
    await srv.put('main', 'dev.txt', 'another');
    await assert.rejects(srv.pulls.checks.run(repository, id, as('ann')), fails('conflict', /conflict/));
    await srv.engine.merge(repository, 'dev', 'main', { committer: 'ann', strategy: 'source-wins' });
    await assert.rejects(srv.pulls.checks.run(repository, id, as('ann')), fails('no_changes', /no changes/));
    assert.equal(srv.payloads.length, 1, 'only the merge asked');
  });

  it('are run by users who may write pull requests and commit to a branch of it, and read by those who may read runs', async t => {
    const srv = await openServer(t);
    const id = await propose(srv);
    await srv.put('dev', '_srv_actions/check.yaml', file('pre-merge', 'size'));
    await srv.auth.createUser({ username: 'tester' });
    await srv.auth.createPolicy('exact', [{ effect: 'allow', action: ['fs:ReadRepository'], resource: '*' }]);
    await srv.auth.attachToUser('tester', 'exact');
    const tester = srv.connect(await srv.auth.createCredential('tester'));
    const at = { repository, pull_request: id };
    const allow = (...pairs: readonly (readonly [string, string])[]) =>
      srv.auth.updatePolicy(
        'exact',
        pairs.map(([action, resource]) => ({ effect: 'allow' as const, action: [action], resource: `arn:lakefs:fs:::${resource}` })),
      );
    const [read, write, runs] = [
      ['pr:ReadPullRequest', 'repository/lakes'],
      ['pr:WritePullRequest', 'repository/lakes'],
      ['ci:ReadAction', 'repository/lakes'],
    ] as const;
    await allow(read);
    await assert.rejects(tester.getPullRequestChecks(at), refused(401, /not allowed to ci:ReadAction/));
    await allow(read, runs);
    assert.equal((await tester.getPullRequestChecks(at)).status, 'none');
    await assert.rejects(tester.runPullRequestChecks(at), refused(401, /not allowed to pr:WritePullRequest/));
    await allow(write, runs, ['fs:CreateCommit', 'repository/lakes/branch/other']);
    await assert.rejects(tester.runPullRequestChecks(at), refused(401, /not allowed to fs:CreateCommit/));
    for (const branch of ['dev', 'main']) {
      await allow(write, runs, ['fs:CreateCommit', `repository/lakes/branch/${branch}`]);
      assert.match((await tester.runPullRequestChecks(at)).run_id, /^[0-9a-v]{20}$/);
    }
    await settled(srv, id);
  });

  it('and reviewers are shown and changed by commands', async t => {
    const srv = await openServer(t);
    for (const username of ['bob', 'eve']) await srv.auth.createUser({ username });
    await srv.engine.createBranch(repository, 'dev', 'main');
    await srv.put('dev', '_srv_actions/check.yaml', file('pre-merge', 'size', 'format'));
    const made = await srv.command('pr create', ['srv://lakes/dev', 'srv://lakes/main'], { reviewer: ['bob'] });
    const at = ['srv://lakes', (made.data as { id: string }).id];
    assert.match((await srv.command('pr reviewers', at, { add: ['eve'] })).text, /^bob\tasked by admin\t.*\neve\tasked by admin\t/);
    await assert.rejects(srv.command('pr reviewers', at, { add: ['eve'], remove: ['eve'] }), /eve cannot be added and removed at once/);
    assert.equal((await srv.command('pr checks', at)).text, 'Checks: none have run');
    srv.failing.add('size');
    await assert.rejects(
      srv.command('pr checks', at, { run: true }),
      /1 checks failed.*\nChecks: failed\n {2}skipped check \/ format .*\n {2}failed check \/ size/,
    );
    srv.failing.clear();
    assert.match((await srv.command('pr checks', at, { run: true })).text, /^Checks: passed\n {2}completed check \/ format \(run/);
    const { text } = await srv.command('pr show', at);
    assert.match(
      text,
      /\nReviewers: bob, eve\nChecks: passed\n {2}completed check \/ format .*\n {2}completed check \/ size .*\nApprovals: 0, 0 needed$/,
    );
  });
});

describe('changes of pull requests', () => {
  it('are events of the destination, for the action files that it has', async t => {
    const srv = await openServer(t);
    await srv.auth.createUser({ username: 'bob' });
    const changes = ['created', 'review-requested', 'commented', 'approved', 'closed', 'reopened', 'merged'];
    const on = changes.map(change => `  post-pull-request-${change}:\n    branches: [main]\n`).join('');
    await srv.put('main', '_srv_actions/note.yaml', `name: note\non:\n${on}hooks:\n  - {id: note, type: probe, properties: {a: b}}\n`);
    const next = async <T>(change: string, act: () => Promise<T>): Promise<T> => {
      const result = await act();
      await until(() => srv.payloads.at(-1)?.event_type === `post-pull-request-${change}` || undefined);
      return result;
    };
    const id = await next('created', () => propose(srv));
    await next('review-requested', () => srv.pulls.reviewers.request(repository, id, 'bob', as('ann')));
    const comment = await next('commented', () => srv.pulls.comments.add(repository, id, { author: as('bob'), body: 'why?' }));
    await next('approved', () => srv.pulls.approvals.approve(repository, id, { by: as('bob') }));
    await srv.pulls.update(repository, id, { title: 'Add it now' }, as('ann'));
    await next('closed', () => srv.pulls.update(repository, id, { status: 'closed' }, as('ann')));
    await srv.pulls.update(repository, id, { status: 'closed' }, as('ann'));
    await next('reopened', () => srv.pulls.update(repository, id, { status: 'open' }, as('ann')));
    const commit = await next('merged', () => srv.pulls.merge(repository, id, { committer: 'ann@example.com', user: 'ann' }));
    assert.deepEqual(
      srv.payloads.map(({ event_type }) => event_type),
      changes.map(change => `post-pull-request-${change}`),
    );
    const facts = { id, title: 'Add it', author: 'ann', source_branch: 'dev', destination_branch: 'main' };
    const pulls = srv.payloads.map(({ pull_request: pull }) => pull);
    assert.deepEqual(pulls.slice(0, 4), [
      { ...facts, user: 'ann' },
      { ...facts, user: 'ann', reviewer: 'bob' },
      { ...facts, user: 'bob', comment_id: comment.id },
      { ...facts, user: 'bob' },
    ]);
    assert.deepEqual(pulls.at(-1), { ...facts, title: 'Add it now', user: 'ann' });
    const last = srv.payloads.at(-1);
    assert.deepEqual([last?.branch_id, last?.merge_source, last?.commit_id], ['main', 'dev', commit]);
    const run = await until(async () => {
      const { results } = await srv.client.listRepositoryRuns({ repository, commit });
      return results.find(({ event_type: type }) => type === 'post-pull-request-merged');
    });
    const again = await srv.client.rerunAction({ repository, run_id: run.run_id, body: {} });
    await until(() => srv.payloads.length === changes.length + 1 || undefined);
    assert.deepEqual(srv.payloads.at(-1)?.pull_request, { ...facts, title: 'Add it now', user: 'admin' });
    assert.notEqual(again.run_id, run.run_id);
  });

  it('are mailed to authors, reviewers and threads, and not to the user who did it, deactivated users or those who may not read it', async t => {
    const srv = await openServer(t, { 'pulls.notices.email': true });
    await srv.auth.createPolicy('readers', [
      { effect: 'allow', action: ['pr:ReadPullRequest'], resource: 'arn:lakefs:fs:::repository/lakes' },
    ]);
    for (const username of ['ann', 'bob', 'eve', 'out']) {
      await srv.auth.createUser({ username, email: `${username}@example.com` });
      if (username !== 'out') await srv.auth.attachToUser(username, 'readers');
    }
    const expect = async (act: () => Promise<unknown>, ...names: readonly string[]): Promise<EmailMessage | undefined> => {
      srv.mail.length = 0;
      await act();
      await until(() => srv.mail.length >= names.length || undefined);
      assert.deepEqual(
        srv.mail.map(({ to }) => to),
        names.map(name => [`${name}@example.com`]),
      );
      return srv.mail[0];
    };
    const id = await propose(srv, 'ann@example.com');
    const asked = await expect(() => srv.pulls.reviewers.request(repository, id, 'bob', as('ann')), 'bob');
    assert.equal(asked?.subject, '[lakes] Add it');
    assert.equal(asked?.text, `ann asks you to review pull request ${id}: Add it\ndev into main of lakes\n`);
    assert.equal(asked?.page, `/repositories/lakes/pulls/${id}`);
    await srv.pulls.reviewers.request(repository, id, 'out', as('ann'));
    const comment = await srv.pulls.comments.add(repository, id, { author: as('eve'), body: 'Why?', path: 'a.csv', line: 3 });
    await until(() => srv.mail.length >= 3 || undefined);
    const said = await expect(
      () => srv.pulls.comments.add(repository, id, { author: as('bob'), body: 'So.', parent: comment.id }),
      'ann',
      'eve',
    );
    assert.match(said?.text ?? '', /^bob commented on pull request .*\n\nSo\.\n$/s);
    await expect(() => srv.pulls.approvals.approve(repository, id, { by: as('bob') }), 'ann');
    await srv.pulls.update(repository, id, { title: 'Two\r\nBcc: x@example.com' }, as('ann'));
    const setActive = (active: boolean) =>
      srv.kernel.services
        .get('provisioning')
        .changeAccount('bob', { externalId: '', email: 'bob@example.com', friendlyName: '', inactive: !active });
    await setActive(false);
    await expect(() => srv.pulls.update(repository, id, { status: 'closed' }, as('eve')), 'ann');
    await setActive(true);
    await expect(() => srv.pulls.update(repository, id, { status: 'open' }, as('eve')), 'ann', 'bob');
    const merged = await expect(() => srv.pulls.merge(repository, id, { committer: 'eve', user: 'eve' }), 'ann', 'bob');
    assert.equal(merged?.subject, '[lakes] Two Bcc: x@example.com');
  });

  it('are mailed only where that is switched on', async t => {
    const srv = await openServer(t);
    await srv.auth.createUser({ username: 'bob', email: 'bob@example.com' });
    await srv.auth.createPolicy('readers', [{ effect: 'allow', action: ['pr:ReadPullRequest'], resource: '*' }]);
    await srv.auth.attachToUser('bob', 'readers');
    const id = await propose(srv);
    await srv.pulls.reviewers.request(repository, id, 'bob', as('ann'));
    await srv.stop();
    assert.deepEqual(srv.mail, []);
  });
});
