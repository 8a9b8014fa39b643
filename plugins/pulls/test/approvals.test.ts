/** Approvals: who may give them, when they count, and that nothing comes into a branch without them, at no server. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { MemoryKvStore, runCount, scratchFolder, seededRandom } from '@srv/kernel/testing';
import { ApiError, createClient } from '@srv/lib-api/client';
import { startSrv } from '@srv/test-servers';
import operations from '../src/operations/index.js';
import type { TestContext } from 'node:test';
import type {} from '@srv/auth/contract';
import type { ErrorCode, Kernel } from '@srv/kernel';
import type { RunningSrv } from '@srv/test-servers';
import type { Author } from '../src/contract.js';

const fails = (code: ErrorCode, message: RegExp) => (error: unknown) => isSrvError(error, code) && message.test(error.message);
const refused = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.status === status && message.test(error.message);
const as = (username: string): Author => ({ username, committer: username });
const approver = { effect: 'allow' as const, action: ['pr:ApprovePullRequest'], resource: 'arn:lakefs:fs:::repository/lakes' };

/** Servers of one database and one block store. */
async function startServers(t: TestContext, count: number): Promise<readonly RunningSrv[]> {
  const kv = new MemoryKvStore('shared', true);
  const open = { get: kv.get.bind(kv), set: kv.set.bind(kv), setIf: kv.setIf.bind(kv), delete: kv.delete.bind(kv), scan: kv.scan.bind(kv) };
  const plugin = {
    name: 'shared',
    apply: ({ hooks }: Kernel) =>
      hooks.openKvStore
        .for('shared')
        .tapPromise('shared', async () => ({ ...open, type: 'shared', isShared: true, close: async () => undefined })),
  };
  const folder = scratchFolder();
  const config = {
    'database.type': 'shared',
    'blockstore.local.path': join(folder, 'block'),
    'auth.ui_config.rbac': 'internal',
    'auth.cache.enabled': false,
  };
  const servers: RunningSrv[] = [];
  for (let i = 0; i < count; i++) {
    const server = await startSrv({ plugins: ['pulls', 'branch-protection'], inline: [{ plugin }], config });
    t.after(server.stop);
    servers.push(server);
  }
  return servers;
}

async function prepare({ kernel: { services } }: RunningSrv, users: readonly string[]): Promise<void> {
  const [engine, auth] = [services.get('engine'), services.get('auth')];
  await engine.createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  for (const branch of ['stable', 'one', 'two']) await engine.createBranch('lakes', branch, 'main');
  await services.get('branchProtection').set('lakes', { stable: ['staging_write', 'commit'] });
  await auth.createPolicy('approver', [approver]);
  for (const username of users) {
    await auth.createUser({ username });
    await auth.attachToUser(username, 'approver');
  }
}

let written = 0;
async function push({ kernel: { services } }: RunningSrv, branch: string): Promise<string> {
  const engine = services.get('engine');
  await engine.putObject('lakes', branch, `${branch}/${++written}`, Buffer.from('x'), {});
  return (await engine.commit('lakes', branch, { committer: 'pusher', message: branch })).id;
}

describe('approvals', () => {
  it('and reviews are not by the author, who may have another e-mail address by now', async t => {
    const [server] = await startServers(t, 1);
    assert.ok(server);
    await prepare(server, ['bob']);
    const { services } = server.kernel;
    const [pulls, auth] = [services.get('pulls'), services.get('auth')];
    await auth.createPolicy('proposer', [{ effect: 'allow', action: ['fs:*', 'pr:*'], resource: '*' }]);
    await auth.attachToUser('bob', 'proposer');
    const setEmail = (email: string) =>
      services.get('provisioning').changeAccount('bob', { externalId: '', email, friendlyName: '', inactive: false });
    await setEmail('old@example.com');
    const client = createClient({
      operations,
      endpointUrl: server.url,
      retries: { enabled: false },
      ...(await auth.createCredential('bob')),
    });
    t.after(() => client.close());
    await push(server, 'one');
    const body = { title: 't', source_branch: 'one', destination_branch: 'stable' };
    const { id } = await client.createPullRequest({ repository: 'lakes', body });
    assert.equal((await pulls.get('lakes', id)).author, 'old@example.com');
    await setEmail('new@example.com');
    const at = { repository: 'lakes', pull_request: id };
    await assert.rejects(client.approvePullRequest({ ...at, body: {} }), refused(403, /authors cannot approve their own/));
    await assert.rejects(client.requestPullRequestReview({ ...at, reviewer: 'bob' }), refused(403, /authors cannot review their own/));
    assert.deepEqual((await pulls.approvals.state('lakes', id)).approvals, []);
    await pulls.update('lakes', id, { title: 'another' });
    assert.equal((await pulls.get('lakes', id)).authorUsername, 'bob');
  });

  it('are of one commit, by others than the author, and open the destination to merges of any kind', async t => {
    const [server] = await startServers(t, 1);
    assert.ok(server);
    await prepare(server, ['bob', 'eve']);
    const { services } = server.kernel;
    const [engine, pulls, auth] = [services.get('engine'), services.get('pulls'), services.get('auth')];
    const reviewed = await push(server, 'one');
    const { id } = await pulls.create('lakes', { title: 't', author: 'ann', source: 'one', destination: 'stable' });
    await pulls.settings.set('lakes', { rules: [{ pattern: 'stable', approvals: 1 }] });
    const merge = () => engine.merge('lakes', 'one', 'stable', { committer: 'ann' });
    const forbidden = fails(
      'protected',
      /^cannot merge into protected branch: stable needs 1 approvals of commit [0-9a-f]{12}, which has 0$/,
    );
    await assert.rejects(merge(), forbidden);
    await assert.rejects(pulls.merge('lakes', id, { committer: 'ann' }), forbidden);
    await assert.rejects(pulls.approvals.approve('lakes', id, { by: as('ann') }), fails('forbidden', /authors cannot approve their own/));
    await assert.rejects(
      pulls.approvals.approve('lakes', id, { by: { username: 'other', committer: 'ann' } }),
      fails('forbidden', /authors cannot approve/),
    );
    await pulls.approvals.approve('lakes', id, { by: as('bob'), commitId: reviewed });
    const moved = await push(server, 'one');
    await assert.rejects(merge(), forbidden, 'an approval is stale once the source moves');
    await assert.rejects(
      pulls.approvals.approve('lakes', id, { by: as('bob'), commitId: reviewed }),
      fails('precondition_failed', /one has moved from commit/),
    );
    await pulls.approvals.approve('lakes', id, { by: as('bob') });
    await auth.detachFromUser('bob', 'approver');
    await assert.rejects(merge(), forbidden, 'approvals of users who may no longer approve do not count');
    await pulls.approvals.approve('lakes', id, { by: as('eve') });
    await pulls.approvals.withdraw('lakes', id, as('eve'));
    await assert.rejects(merge(), forbidden);
    await pulls.approvals.approve('lakes', id, { by: as('eve') });
    await auth.deleteUser('eve');
    await assert.rejects(merge(), forbidden, 'nor those of deleted users');
    await auth.createUser({ username: 'eve' });
    await auth.attachToUser('eve', 'approver');
    await assert.rejects(merge(), forbidden, 'also when a later user has the name');
    await auth.attachToUser('bob', 'approver');
    const setActive = (active: boolean) =>
      services.get('provisioning').changeAccount('bob', { externalId: '', email: '', friendlyName: '', inactive: !active });
    await setActive(false);
    await assert.rejects(merge(), forbidden, 'nor those of deactivated users');
    await setActive(true);
    assert.deepEqual(
      (await pulls.approvals.state('lakes', id)).approvals.map(({ by, commitId }) => [by.username, commitId]),
      [['bob', moved]],
    );
    await pulls.update('lakes', id, { status: 'closed' });
    await assert.rejects(merge(), forbidden, 'nor those of closed pull requests');
    await pulls.update('lakes', id, { status: 'open' });
    await pulls.settings.set('lakes', { deleteSourceOnMerge: true });
    await pulls.merge('lakes', id, { committer: 'ann' });
    assert.equal((await engine.getCommit('lakes', 'stable')).parents[1], moved);
    await assert.rejects(engine.getBranch('lakes', 'one'), fails('not_found', /branch/));
  });

  it('count only while the source is at their commit, however it is merged, and all of them are taken back at once', async t => {
    const [server] = await startServers(t, 1);
    assert.ok(server);
    await prepare(server, ['bob', 'eve']);
    const { hooks, services } = server.kernel;
    const [engine, pulls] = [services.get('engine'), services.get('pulls')];
    await pulls.settings.set('lakes', { rules: [{ pattern: 'stable', approvals: 1 }] });
    const reviewed = await push(server, 'one');
    const { id } = await pulls.create('lakes', { title: 't', author: 'ann', source: 'one', destination: 'stable' });
    const approve = (user: string) => pulls.approvals.approve('lakes', id, { by: as(user) });
    const merge = (ref: string) => engine.merge('lakes', ref, 'stable', { committer: 'ann' });
    const reset = (commit: string) => engine.hardResetBranch('lakes', 'one', commit);
    const approvers = async () => (await pulls.approvals.state('lakes', id)).approvals.map(({ by }) => by.username);
    const forbidden = fails('protected', /stable needs 1 approvals of commit [0-9a-f]{12}, which has 0$/);
    await approve('bob');
    await approve('eve');
    const moved = await push(server, 'one');
    for (const ref of [reviewed, 'one~1', 'one']) await assert.rejects(merge(ref), forbidden, ref);
    await approve('bob');
    await assert.rejects(merge(reviewed), forbidden, 'an approval of the head is not one of earlier commits');
    await pulls.approvals.withdraw('lakes', id, as('bob'));
    assert.deepEqual(await approvers(), []);
    await reset(reviewed);
    assert.deepEqual(await approvers(), ['eve'], 'also approvals of earlier commits are taken back, those of others are not');

    // The source moves while the hooks of the merge run.
    let moves = (): Promise<unknown> => reset(moved);
    hooks.event.for('pre-merge').tapPromise('test', () => moves() as Promise<void>);
    await assert.rejects(merge('one'), forbidden);
    await reset(reviewed);
    await assert.rejects(pulls.merge('lakes', id, { committer: 'ann' }), forbidden);
    moves = async () => undefined;

    await engine.deleteBranch('lakes', 'one');
    await assert.rejects(merge(reviewed), forbidden, 'nor do approvals count whose source is gone');
    await pulls.approvals.withdraw('lakes', id, as('eve'));
    await engine.createBranch('lakes', 'one', reviewed);
    assert.deepEqual(await approvers(), []);
    await approve('bob');
    await pulls.merge('lakes', id, { committer: 'ann' });
    assert.equal((await engine.getCommit('lakes', 'stable')).parents[1], reviewed);
  });

  it('close every other way into the branch', async t => {
    const [server] = await startServers(t, 1);
    assert.ok(server);
    await prepare(server, []);
    const { services } = server.kernel;
    const [engine, pulls] = [services.get('engine'), services.get('pulls')];
    const commit = await push(server, 'one');
    await assert.rejects(
      pulls.settings.set('lakes', { rules: [{ pattern: 'sta*le', approvals: 1 }] }),
      fails('invalid', /"sta\*le": this pattern is not protected from direct writes; add it first: cli branch-protect add/),
    );
    await pulls.settings.set('lakes', { rules: [{ pattern: 'stable', approvals: 1 }] });
    const { metarangeId } = await engine.getCommit('lakes', commit);
    const lakes = await engine.getRepository('lakes');
    const ways = {
      write: () => engine.putObject('lakes', 'stable', 'a', Buffer.from('a'), {}),
      commit: () => engine.commit('lakes', 'stable', { committer: 'ann', message: 'm', sourceMetarange: metarangeId }),
      revert: () => engine.revert('lakes', 'stable', { ref: commit, committer: 'ann' }),
      cherryPick: () => engine.cherryPick('lakes', 'stable', { ref: commit, committer: 'ann' }),
      reset: () => engine.hardResetBranch('lakes', 'stable', commit),
      delete: () => engine.deleteBranch('lakes', 'stable'),
      import: () => engine.import(lakes, 'stable', { metarangeId, prefixes: [], keys: [], committer: 'ann', message: 'm' }),
      squash: () => engine.merge('lakes', commit, 'stable', { committer: 'ann', squash: true }),
      forced: () => engine.merge('lakes', 'one', 'stable', { committer: 'ann', force: true }),
    };
    // What only counts moves of the repository is set by the first access.
    const content = async () => {
      const { commitId, stagingToken, sealedTokens } = await engine.getBranch('lakes', 'stable');
      return { commitId, stagingToken, sealedTokens };
    };
    const before = await content();
    for (const [way, go] of Object.entries(ways)) await assert.rejects(go(), fails('protected', /protected branch/), way);
    assert.deepEqual(await content(), before);
  });

  it('and comments travel over the API, with threads, resolving and soft deletion', async t => {
    const [server] = await startServers(t, 1);
    assert.ok(server);
    await prepare(server, ['bob']);
    const auth = server.kernel.services.get('auth');
    await push(server, 'one');
    const connect = (key: { accessKeyId: string; secretAccessKey: string }) => {
      const client = createClient({ operations, endpointUrl: server.url, retries: { enabled: false }, ...key });
      t.after(() => client.close());
      return client;
    };
    await auth.createPolicy('writer', [{ ...approver, action: ['pr:ReadPullRequest', 'pr:WritePullRequest'] }]);
    await auth.attachToUser('bob', 'writer');
    const [admin, bob] = [connect(await auth.createAdministrator('admin')), connect(await auth.createCredential('bob'))];
    const { id } = await admin.createPullRequest({
      repository: 'lakes',
      body: { title: 't', source_branch: 'one', destination_branch: 'stable' },
    });
    const at = { repository: 'lakes', pull_request: id };
    const comment = (client: typeof admin, body: object) => client.createPullRequestComment({ ...at, body: { body: 'text', ...body } });
    const top = await comment(bob, { body: 'Why?', path: 'one/1', line: 3 });
    const reply = await comment(admin, { parent_id: top.id });
    await assert.rejects(comment(bob, { parent_id: reply.id }), refused(400, /is itself a reply/));
    await assert.rejects(comment(bob, { body: ' ' }), refused(400, /body of a comment: it is empty/));
    await assert.rejects(comment(bob, { body: 'x'.repeat(65_537) }), refused(400, /65537 bytes; at most 65536/));
    await assert.rejects(comment(bob, { line: 3 }), refused(400, /line 3 of which object/));
    await assert.rejects(
      bob.updatePullRequestComment({ ...at, comment: reply.id, body: { body: 'mine' } }),
      refused(401, /written by admin/),
    );
    await assert.rejects(bob.deletePullRequestComment({ ...at, comment: reply.id }), refused(401, /written by admin/));
    await assert.rejects(bob.updatePullRequestComment({ ...at, comment: reply.id, body: { resolved: true } }), refused(400, /is a reply/));
    await bob.updatePullRequestComment({ ...at, comment: top.id, body: { body: 'Why so?', resolved: true } });
    const shown = await admin.getPullRequestComment({ ...at, comment: top.id });
    assert.deepEqual(
      [shown.body, shown.author_id, shown.resolved, shown.resolved_by_id, shown.path, shown.line],
      ['Why so?', 'bob', true, 'bob', 'one/1', 3],
    );
    await admin.deletePullRequestComment({ ...at, comment: top.id });
    const first = await bob.listPullRequestComments({ ...at, amount: 1 });
    assert.deepEqual([first.results.map(({ body, deleted }) => [body, deleted]), first.pagination.has_more], [[['', true]], true]);
    const rest = await bob.listPullRequestComments({ ...at, after: first.pagination.next_offset });
    assert.deepEqual(
      rest.results.map(({ id: found, parent_id: parent }) => [found, parent]),
      [[reply.id, top.id]],
    );
    await assert.rejects(bob.updatePullRequestComment({ ...at, comment: top.id, body: { body: 'again' } }), refused(404, /is deleted/));

    await admin.setPullRequestSettings({ repository: 'lakes', body: { required_approvals: [{ pattern: 'stable', approvals: 1 }] } });
    // As clients that know nothing of approvals write it.
    await admin.setPullRequestSettings({ repository: 'lakes', body: { delete_source_branch_on_merge: true } });
    assert.deepEqual(await admin.getPullRequestSettings({ repository: 'lakes' }), {
      delete_source_branch_on_merge: true,
      required_approvals: [{ pattern: 'stable', approvals: 1 }],
    });
    await assert.rejects(admin.mergePullRequest(at), refused(403, /stable needs 1 approvals/));
    await assert.rejects(admin.approvePullRequest({ ...at, body: {} }), refused(403, /authors cannot approve/));
    await bob.approvePullRequest({ ...at, body: {} });
    const { approved, results } = await admin.getPullRequestApprovals(at);
    assert.deepEqual([approved, results.map(({ user_id: user }) => user)], [true, ['bob']]);
    await admin.mergePullRequest(at);
  });
});

describe('a model of approvals', () => {
  const users = ['ann', 'bob', 'carl', 'dora'];
  const random = seededRandom();
  const steps = runCount(80, 600);

  it(`agrees with two servers: nothing merges that the rules forbid (SRV_TEST_SEED=${random.seed}, ${steps} steps)`, async t => {
    const servers = await startServers(t, 2);
    const [first] = servers;
    assert.ok(first);
    await prepare(first, users);
    const world = {
      required: 0,
      heads: new Map<string, string>(),
      pulls: [] as { id: string; author: string; source: string; open: boolean }[],
      /** Pull request, user and commit. */
      approvals: new Set<string>(),
      approvers: new Set(users),
    };
    for (const branch of ['one', 'two']) world.heads.set(branch, await push(first, branch));
    const server = (): RunningSrv => random.choose(servers);
    const pullsOf = () => server().kernel.services.get('pulls');
    const engineOf = () => server().kernel.services.get('engine');

    const isAllowed = (commit: string): boolean =>
      world.required === 0 ||
      world.pulls.some(({ id, author, source, open }) => {
        const given = users.filter(user => user !== author && world.approvers.has(user) && world.approvals.has(`${id} ${user} ${commit}`));
        return open && world.heads.get(source) === commit && given.length >= world.required;
      });

    /** Merges what the model allows, and nothing else. */
    async function checkMerge(commit: string, merge: () => Promise<unknown>): Promise<boolean> {
      const allowed = isAllowed(commit);
      try {
        await merge();
      } catch (error) {
        assert.ok(isSrvError(error), String(error));
        assert.equal(error.code, allowed ? 'no_changes' : 'protected', error.message);
        return false;
      }
      assert.ok(allowed, `commit ${commit} was merged although it needs ${world.required} approvals`);
      return true;
    }

    const moves: Readonly<Record<string, () => Promise<void>>> = {
      async push() {
        const branch = random.choose(['one', 'two']);
        world.heads.set(branch, await push(server(), branch));
      },
      async open() {
        const [author, source] = [random.choose(users), random.choose(['one', 'two'])];
        const { id } = await pullsOf().create('lakes', { title: 't', author, source, destination: 'stable' });
        world.pulls.push({ id, author, source, open: true });
      },
      async close() {
        const pull = random.choose(world.pulls);
        if (!pull) return;
        await pullsOf().update('lakes', pull.id, { status: 'closed' });
        pull.open = false;
      },
      async approve() {
        const [pull, user] = [random.choose(world.pulls), random.choose(users)];
        if (!pull) return;
        const approve = pullsOf().approvals.approve('lakes', pull.id, { by: as(user) });
        if (!pull.open || user === pull.author) return assert.rejects(approve, fails(pull.open ? 'forbidden' : 'invalid', /./));
        world.approvals.add(`${pull.id} ${user} ${(await approve).commitId}`);
      },
      async withdraw() {
        const [pull, user] = [random.choose(world.pulls), random.choose(users)];
        if (!pull) return;
        await pullsOf().approvals.withdraw('lakes', pull.id, as(user));
        for (const approval of world.approvals) if (approval.startsWith(`${pull.id} ${user} `)) world.approvals.delete(approval);
      },
      async role() {
        const user = random.choose(users);
        const auth = server().kernel.services.get('auth');
        if (world.approvers.delete(user)) await auth.detachFromUser(user, 'approver');
        else {
          await auth.attachToUser(user, 'approver');
          world.approvers.add(user);
        }
      },
      async rule() {
        world.required = random.below(3);
        const rules = world.required === 0 ? [] : [{ pattern: 'stable', approvals: world.required }];
        await pullsOf().settings.set('lakes', { rules });
      },
      async merge() {
        const branch = random.choose(['one', 'two']);
        const ref = random.choose([branch, world.heads.get(branch) ?? branch, `${branch}~1`]);
        const { id } = await engineOf().getCommit('lakes', ref);
        await checkMerge(id, () => engineOf().merge('lakes', ref, 'stable', { committer: 'm' }));
      },
      async mergePull() {
        const pull = random.choose(world.pulls);
        if (!pull?.open) return;
        if (await checkMerge(world.heads.get(pull.source) ?? '', () => pullsOf().merge('lakes', pull.id, { committer: 'm' })))
          pull.open = false;
      },
      /** A push at the same time: what is merged is what was approved. */
      async race() {
        const branch = random.choose(['one', 'two']);
        const allowed = isAllowed(world.heads.get(branch) ?? '');
        const merging = engineOf()
          .merge('lakes', branch, 'stable', { committer: 'm' })
          .catch((error: unknown) => assert.ok(isSrvError(error, 'no_changes', 'protected'), String(error)));
        const [merged, head] = await Promise.all([merging, push(server(), branch)]);
        if (merged && world.required > 0) {
          assert.ok(allowed);
          assert.equal(merged.parents[1], world.heads.get(branch));
        }
        world.heads.set(branch, head);
      },
    };
    const names = Object.keys(moves);
    const likely = [...names, 'approve', 'approve', 'approve', 'mergePull', 'merge'];
    for (let step = 0; step < steps; step++) await moves[random.choose(likely)]?.();
  });
});
