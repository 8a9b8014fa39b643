/** Backup, restore, upgrade and replacement of a running server, as scripts/deploy/README.md says. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { NeedsError } from '@srv/test-servers';
import { startPostgres } from '@srv/test-servers/postgres';
import { hasFeature } from './feature-operations.js';
import { Installation } from './installation.js';
import { launchSrv, temporaryFolder } from './programs.js';
import type { Client } from '@srv/engine/client';

const repository = 'lakes';
const main = { repository, branch: 'main' };

/** What the doctor finds wrong; that the machine is busy, and its stores are slow, is not. */
const complaint = /^(?:failed|warning(?!.*: a step takes ))/m;

async function textOf(api: Client, ref: string, path: string): Promise<string> {
  const { body } = await api.getObject({ repository, ref, path });
  return Buffer.concat(await body.toArray()).toString();
}

/** Refs, every object with its content, and what is not committed. */
async function stateOf(api: Client) {
  const { results: branches } = await api.listBranches({ repository });
  const contents: Record<string, string> = {};
  for (const { id } of branches)
    for (const { path } of (await api.listObjects({ repository, ref: id })).results)
      contents[`${id}/${path}`] = await textOf(api, id, path);
  const uncommitted = (await api.diffBranch(main)).results.map(({ path }) => path);
  return { branches, contents, uncommitted, log: (await api.logCommits({ repository, ref: 'main' })).results.map(({ id }) => id) };
}

async function fill(api: Client): Promise<void> {
  await api.createRepository({ body: { name: repository, storage_namespace: `local://${repository}` } });
  for (const path of ['a', 'b', 'c']) await api.uploadObject({ ...main, path, body: `first ${path}` });
  await api.commit({ ...main, body: { message: 'first' } });
  await api.createBranch({ repository, body: { name: 'dev', source: 'main' } });
  await api.uploadObject({ ...main, path: 'later', body: 'not committed' });
}

describe('an operator', () => {
  const root = temporaryFolder({ after });
  const made: Installation[] = [];
  after(async () => {
    for (const one of made) await one.stop();
  });
  const folderOf = (name: string): string => {
    const folder = join(root, name);
    mkdirSync(folder, { recursive: true });
    return folder;
  };
  const install = (name: string, objects: string, database = `{type: local, local: {path: ${folderOf(name)}/kv}}`): Installation => {
    const one = new Installation({ folder: folderOf(name), database, objects: folderOf(objects) });
    made.push(one);
    return one;
  };

  test('restores a backup: the database first, the objects whenever after it', async () => {
    const live = install('live', 'live-objects');
    await live.setUp();
    let api = await live.start();
    await fill(api);
    const then = await stateOf(api);
    await live.stop();
    const dump = join(root, 'backup.json');
    await live.srv('kv', 'dump', '--all-partitions', '-o', dump);

    // Writes continue before the objects are copied.
    api = await live.start();
    await api.commit({ ...main, body: { message: 'second' } });
    await api.deleteObject({ ...main, path: 'a' });
    await api.uploadObject({ ...main, path: 'b', body: 'second b' });
    await api.commit({ ...main, body: { message: 'third' } });
    await api.deleteBranch({ repository, branch: 'dev' });
    await live.stop();
    cpSync(join(root, 'live-objects'), join(root, 'restored-objects'), { recursive: true });

    const restored = install('restored', 'restored-objects');
    await restored.srv('kv', 'load', dump);
    api = await restored.start();
    assert.deepEqual(await stateOf(api), then);
    await api.commit({ ...main, body: { message: 'later work' } });
    assert.equal(await textOf(api, 'main@', 'later'), 'not committed');
    await restored.stop();
    if (hasFeature('doctor')) assert.doesNotMatch((await restored.srv('doctor')).stdout, complaint);
  });

  test('copies an embedded database of a server that is stopped', async () => {
    const live = install('whole', 'whole-objects');
    await live.setUp();
    let api = await live.start();
    await fill(api);
    const then = await stateOf(api);
    await live.stop();
    cpSync(join(root, 'whole', 'kv'), join(root, 'copy', 'kv'), { recursive: true });
    cpSync(join(root, 'whole-objects'), join(root, 'copy-objects'), { recursive: true });
    const copy = install('copy', 'copy-objects');
    api = await copy.start();
    assert.deepEqual(await stateOf(api), then);
    await copy.stop();
  });

  test('is reported when a release does not read the database, and nothing changes', async () => {
    const old = install('upgrade', 'upgrade-objects');
    await old.setUp();
    let api = await old.start();
    await fill(api);
    const then = await stateOf(api);
    await old.stop();
    const config = join(root, 'upgrade', 'srv.yaml');
    const dumped = async (name: string) => {
      const file = join(root, `${name}.json`);
      await old.srv('kv', 'dump', '--all-partitions', '-o', file);
      return (JSON.parse(readFileSync(file, 'utf8')) as { readonly entries: unknown }).entries;
    };
    const setSchema = async (version: string): Promise<void> => {
      const file = join(root, `schema-${version}.json`);
      const entry = { partition: 'kv-internal-metadata', key: 'kv/schema/version', value: Buffer.from(version).toString('base64') };
      writeFileSync(file, JSON.stringify({ version: '1.0', timestamp: new Date().toISOString(), entries: [entry] }));
      await old.srv('kv', 'load', file, '--strategy', 'overwrite');
    };
    for (const [version, reason] of [
      ['3', /migration required/],
      ['5', /incompatible schema version; use a newer release/],
    ] as const) {
      await setSchema(version);
      const before = await dumped(`before-${version}`);
      const asked = await launchSrv(root, ['kv', 'version', '-c', config]).finished;
      assert.deepEqual([asked.code, asked.stdout.startsWith(`schema version ${version}, this release reads 4`)], [1, true]);
      const refused = await launchSrv(root, ['run', '-c', config]).finished;
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, reason);
      assert.deepEqual(await dumped(`after-${version}`), before);
    }
    await setSchema('4');
    api = await old.start();
    assert.deepEqual(await stateOf(api), then);
    await old.stop();
  });

  test('replaces a running server by another, while clients write', async t => {
    const postgres = await startPostgres().catch((error: unknown) => {
      if (error instanceof NeedsError) return undefined;
      throw error;
    });
    if (!postgres) return t.skip('needs PostgreSQL');
    try {
      const database = `{type: postgres, postgres: {connection_string: "${await postgres.createDatabase()}"}}`;
      const [old, next] = [install('old-server', 'shared', database), install('next-server', 'shared', database)];
      await old.setUp();
      const first = await old.start();
      await first.createRepository({ body: { name: repository, storage_namespace: `local://${repository}` } });
      const written: string[] = [];
      const write = async (api: Client, name: string, count: number): Promise<void> => {
        for (let i = 0; i < count; i++) {
          const path = `${name}/${i}`;
          await api.uploadObject({ ...main, path, body: path });
          written.push(path);
          if (i % 10 === 9) await api.commit({ ...main, body: { message: path } }).catch(() => undefined);
        }
      };
      const second = await next.start();
      await Promise.all([write(first, 'old', 30), write(second, 'next', 30)]);
      await old.stop();
      await write(second, 'after', 10);
      await second.commit({ ...main, body: { message: 'all', allow_empty: true } });
      for (const path of written) assert.equal(await textOf(second, 'main@', path), path);
      assert.equal(written.length, 70);
      // A shared database can be examined while servers run.
      if (hasFeature('doctor')) {
        const examined = (await next.srv('doctor')).stdout;
        assert.match(examined, /^(?:ok|warning) +database +postgres: /m);
        assert.doesNotMatch(examined, complaint);
      }
      await next.stop();
    } finally {
      await postgres.close();
    }
  });
});
