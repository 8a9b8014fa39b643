/** Moving installations, as cli/README.md says: with the database, without it, and back. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { NeedsError } from '@srv/test-servers';
import { startPostgres } from '@srv/test-servers/postgres';
import { hasFeature } from './feature-operations.js';
import { Installation } from './installation.js';
import { temporaryFolder } from './programs.js';
import type { Client } from '@srv/engine/client';
import type { FeatureCalls } from './feature-operations.js';

const repository = 'lakes';

/** Folders below one that goes when the suite ends. */
function newFolder(root: string, name: string): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

const features = (api: Client): FeatureCalls => api as object as FeatureCalls;

/** Everything a repository can hold. */
async function fill(api: Client): Promise<void> {
  const main = { repository, branch: 'main' };
  await api.createRepository({ body: { name: repository, storage_namespace: `local://${repository}` } });
  await api.uploadObject({ ...main, path: 'a/b c', body: 'committed' }, { headers: { 'x-lakefs-meta-k': 'ü' } });
  await api.commit({ ...main, body: { message: 'first', metadata: { why: 'moving' } } });
  await api.createBranch({ repository, body: { name: 'dev', source: 'main' } });
  await api.createBranch({ repository, body: { name: 'hidden', source: 'main', hidden: true } });
  await api.uploadObject({ repository, branch: 'dev', path: 'new', body: 'on dev' });
  await api.commit({ repository, branch: 'dev', body: { message: 'second' } });
  await api.createTag({ repository, body: { id: 'v1', ref: 'main' } });
  if (hasFeature('branch-protection')) await features(api).setBranchProtectionRules({ repository, body: [{ pattern: 'hidden' }] });
  await api.setRepositoryMetadata({ repository, body: { metadata: { owner: 'ann' } } });
  const body = { title: 'take it', description: 'd', source_branch: 'dev', destination_branch: 'main' };
  if (hasFeature('pulls')) await features(api).createPullRequest({ repository, body });
  await api.createUser({ body: { id: 'ben' } });
  await api.addGroupMembership({ groupId: 'Viewers', userId: 'ben' });
  await api.uploadObject({ ...main, path: 'uncommitted', body: 'not yet' });
}

async function textOf(api: Client, ref: string, path: string): Promise<string> {
  const { body } = await api.getObject({ repository, ref, path });
  return Buffer.concat(await body.toArray()).toString();
}

/** What every way carries. */
async function refsOf(api: Client) {
  const branches = await api.listBranches({ repository, show_hidden: true });
  const visible = await api.listBranches({ repository });
  const log = await api.logCommits({ repository, ref: 'dev' });
  const { metadata } = await api.statObject({ repository, ref: 'main', path: 'a/b c' });
  return {
    branches: branches.results,
    visible: visible.results.map(({ id }) => id),
    tags: (await api.listTags({ repository })).results,
    log: log.results,
    metadata,
    contents: [await textOf(api, 'v1', 'a/b c'), await textOf(api, 'dev', 'new')],
    users: (await api.listGroupMembers({ groupId: 'Viewers' })).results.map(({ id }) => id),
  };
}

/** What a dump of the refs does not hold. */
async function settingsOf(api: Client) {
  const { results } = hasFeature('pulls') ? await features(api).listPullRequests({ repository }) : { results: [] };
  return {
    pulls: results.map(({ title, source_branch, status, id }) => [title, source_branch, status, id]),
    rules: hasFeature('branch-protection') && (await features(api).getBranchProtectionRules({ repository })),
    metadata: await api.getRepositoryMetadata({ repository }),
  };
}

async function uncommitted(api: Client): Promise<string[]> {
  return (await api.diffBranch({ repository, branch: 'main' })).results.map(({ path }) => path);
}

interface DumpFile {
  readonly version: string;
  readonly timestamp: string;
  readonly entries: readonly { readonly partition: string; readonly key: string; readonly value: string }[];
}

const parse = (file: string): DumpFile => JSON.parse(readFileSync(file, 'utf8')) as DumpFile;

/** As another program writes it: one document, laid out otherwise. */
function rewrite(file: string): void {
  writeFileSync(file, JSON.stringify(parse(file), undefined, 2));
}

describe('an installation moves', () => {
  const root = temporaryFolder({ after });
  const made: Installation[] = [];
  const installation = (folder: string, database: string, objects: string): Installation => {
    const one = new Installation({ folder, database, objects: newFolder(root, objects) });
    made.push(one);
    return one;
  };
  const local = (name: string, objects: string): Installation => {
    const folder = newFolder(root, name);
    return installation(folder, `{type: local, local: {path: ${folder}/kv}}`, objects);
  };
  after(async () => {
    for (const one of made) await one.stop();
  });

  test('to another database, whole', async () => {
    const old = local('whole-old', 'whole');
    await old.setUp();
    let api = await old.start();
    await fill(api);
    const before = [await refsOf(api), await settingsOf(api), await uncommitted(api)];
    await old.stop();
    const file = join(root, 'whole.json');
    await old.srv('kv', 'dump', '--all-partitions', '-o', file);

    const next = local('whole-new', 'whole');
    await next.srv('kv', 'load', file);
    api = await next.start();
    assert.deepEqual([await refsOf(api), await settingsOf(api), await uncommitted(api)], before);
    assert.equal(await textOf(api, 'main', 'uncommitted'), 'not yet');
    await api.commit({ repository, branch: 'main', body: { message: 'third' } });
    assert.equal(await textOf(api, 'main@', 'uncommitted'), 'not yet');
    await next.stop();

    // A file that was cut off writes nothing.
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, lines.slice(0, -3).join('\n'));
    await assert.rejects(local('whole-cut', 'whole').srv('kv', 'load', file), /it was cut off/);
    assert.equal((await local('whole-cut', 'whole').srv('kv', 'scan', 'graveler')).stdout, '');
  });

  /** By a dump of the refs and one of users, groups, policies: all that an embedded database of another program gives away. */
  async function moveRefs(from: Installation, to: Installation, name: string): Promise<Client> {
    const at = (file: string): string => join(root, `${name}-${file}`);
    await from.start();
    await from.cli('refs-dump', `srv://${repository}`, '--poll-interval', '1s', '--output', at('refs.json'));
    await from.stop();
    await from.srv('kv', 'dump', '--sections', 'auth,pulls,kv', '-o', at('auth.json'));
    const { version, timestamp, entries } = parse(at('auth.json'));
    assert.equal(version, '1.0');
    assert.ok(!Number.isNaN(Date.parse(timestamp)));
    assert.deepEqual([...new Set(entries.map(entry => entry.partition))].sort(), ['auth', 'kv-internal-metadata', 'pulls']);
    const { stdout } = await from.srv('kv', 'scan', 'graveler');
    const { record } = JSON.parse(stdout) as { record: { instanceUid: string } };
    await from.srv('kv', 'dump', '--sections', '', '--partition', `${repository}-${record.instanceUid}`, '-o', at('repository.json'));
    for (const file of ['auth.json', 'repository.json']) rewrite(at(file));

    await to.srv('kv', 'load', at('auth.json'));
    await to.start();
    await to.cli('repo', 'create-bare', `srv://${repository}`, `local://${repository}`);
    await to.cli('refs-restore', `srv://${repository}`, '--poll-interval', '1s', '--manifest', at('refs.json'));
    await to.stop();
    await to.srv('kv', 'load', at('repository.json'), '--repository', repository, '--strategy', 'overwrite');
    await to.srv('kv', 'load', at('auth.json'), '--repository', repository).then(
      () => assert.fail('the dump has no records of the repository'),
      (error: unknown) => assert.match(String(error), /the dump has no records of repository lakes/),
    );
    return to.start();
  }

  test('from an embedded database to another program and back', async () => {
    const [theirs, ours] = [local('theirs', 'refs'), local('ours', 'refs')];
    await theirs.setUp();
    let api = await theirs.start();
    await fill(api);
    const before = [await refsOf(api), await settingsOf(api)];
    assert.deepEqual(await uncommitted(api), ['uncommitted']);
    await theirs.stop();

    api = await moveRefs(theirs, ours, 'there');
    assert.deepEqual([await refsOf(api), await settingsOf(api)], before);
    assert.deepEqual(await uncommitted(api), [], 'named: it has to be committed before');
    if (hasFeature('pulls')) {
      const [pull] = (await features(api).listPullRequests({ repository })).results;
      await features(api).mergePullRequest({ repository, pull_request: pull?.id });
    }
    await api.uploadObject({ repository, branch: 'dev', path: 'later', body: 'ours' });
    await api.commit({ repository, branch: 'dev', body: { message: 'ours' } });
    const after = [await refsOf(api), await settingsOf(api)];
    await ours.stop();

    api = await moveRefs(ours, local('back', 'refs'), 'back');
    assert.deepEqual([await refsOf(api), await settingsOf(api)], after);
    assert.equal(await textOf(api, 'dev', 'later'), 'ours');
  });

  test('in place: the same database, from either program to the other', async t => {
    const postgres = await startPostgres().catch((error: unknown) => {
      if (error instanceof NeedsError) return undefined;
      throw error;
    });
    if (!postgres) return t.skip('needs PostgreSQL');
    try {
      const database = `{type: postgres, postgres: {connection_string: "${await postgres.createDatabase()}"}}`;
      const [theirs, ours] = ['in-place-theirs', 'in-place-ours'].map(name => installation(newFolder(root, name), database, 'in-place'));
      assert.ok(theirs && ours);
      await theirs.setUp();
      let api = await theirs.start();
      await fill(api);
      const before = [await refsOf(api), await settingsOf(api), await uncommitted(api)];
      await theirs.stop();
      api = await ours.start();
      assert.deepEqual([await refsOf(api), await settingsOf(api), await uncommitted(api)], before);
      await api.commit({ repository, branch: 'main', body: { message: 'what they began' } });
      await api.uploadObject({ repository, branch: 'main', path: 'begun here', body: 'ours' });
      const after = [await refsOf(api), await settingsOf(api), await uncommitted(api)];
      await ours.stop();
      api = await theirs.start();
      assert.deepEqual([await refsOf(api), await settingsOf(api), await uncommitted(api)], after);
      assert.equal(await textOf(api, 'main', 'begun here'), 'ours');
      await theirs.stop();
    } finally {
      await postgres.close();
    }
  });
});
