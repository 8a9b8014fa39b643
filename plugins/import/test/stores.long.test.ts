/** Import from every shared block store, by the drivers and client libraries of production. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kernel, isSrvError } from '@srv/kernel';
import { identifierType } from '@srv/lib-stores/block';
import { startAzurite } from '@srv/test-servers/azure';
import { startGs } from '@srv/test-servers/gs';
import { noGateway, startGateway } from '@srv/test-servers/s3';
import type {} from '@srv/engine/contract';
import type { TestServer } from '@srv/test-servers';
import type { ImportStatus, Imports } from '../src/contract.js';

const repositoryRoot = resolve(import.meta.dirname, '..', '..', '..', '..');

function temporaryFolder(owner: { after(callback: () => Promise<void>): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'srv-import-'));
  owner.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

interface Source extends Pick<TestServer, 'env' | 'close'> {
  readonly namespace: string;
  /** Makes a bucket. @returns a storage namespace in it. Absent where a server has one bucket only. */
  readonly bucket?: (name: string) => Promise<string>;
}

const sources: Readonly<Record<string, () => Promise<Source>>> = {
  s3: startGateway,
  azure: async () => {
    const server = await startAzurite();
    return { ...server, namespace: await server.createContainer('lake'), bucket: name => server.createContainer(name) };
  },
  gs: async () => {
    const server = await startGs();
    return { ...server, namespace: await server.createBucket('lake'), bucket: name => server.createBucket(name) };
  },
};

/** How a user may write an address; all but the first need a store that decodes addresses. */
const spellings: Readonly<Record<string, (address: string) => readonly string[]>> = {
  azure: address => [
    address,
    address.replaceAll(' ', '%20').replaceAll('é', '%C3%A9'),
    address.replace(' n', ' %6E').replaceAll('é', '%c3%a9'),
    address.replace('https:', 'http:').replaceAll(' ', '%20'),
  ],
};

/** More than a page of a listing, and names that invite mistakes. */
const names = [
  ...Array.from({ length: 1100 }, (_, i) => `many/${String(i).padStart(5, '0')}`),
  'a b%20c.txt',
  'é/ü+ß&=?.bin',
  'folder.txt',
  'folder/inside',
  'many.txt',
];
const parallel = 16;

for (const [type, start] of Object.entries(sources)) {
  describe(`import from ${type}`, { skip: type === 's3' && noGateway }, () => {
    const folder = temporaryFolder({ after });
    const spelled = spellings[type] ?? ((address: string) => [address]);

    it('a prefix and one object become objects of a branch, in order and readable', async t => {
      const source = await start();
      t.after(() => source.close());
      const kernel = await boot(source, folder);
      t.after(() => kernel.stop());
      const [block, engine, imports] = [kernel.services.get('block'), kernel.services.get('engine'), kernel.services.get('imports')];
      const outside = { namespace: `${source.namespace}/outside`, identifierType: identifierType.relative };
      const rest = names.values();
      const store = async (): Promise<void> => {
        for (const name of rest) await block.put({ ...outside, identifier: name }, Buffer.from(`content of ${name}`));
      };
      await Promise.all(Array.from({ length: parallel }, store));
      await engine.createRepository({ id: 'repo', storageNamespace: `${source.namespace}/repo` });

      const single = block.resolve({ ...outside, identifier: 'many/00007' });
      const id = await imports.start('repo', 'main', {
        committer: 'ann',
        paths: [
          { type: 'common_prefix', path: `${outside.namespace}/`, destination: 'in' },
          { type: 'object', path: single, destination: 'one' },
        ],
      });
      const status = await finished(imports, 'repo', id);
      assert.equal(status.error, undefined);
      assert.equal(status.ingestedObjects, names.length + 1);

      const found: string[] = [];
      for (let from = ''; ; ) {
        const page = await engine.list('repo', 'main', { after: from, amount: 500 });
        found.push(...page.results.map(({ path }) => path));
        if (!page.hasMore) break;
        from = page.nextOffset;
      }
      const wanted = [...names.map(name => `in/${name}`), 'one'];
      assert.deepEqual(
        found,
        wanted.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
      for (const name of [...names.slice(-5), 'many/00099']) {
        const entry = await engine.getEntry('repo', 'main', `in/${name}`);
        assert.equal((await buffer(await engine.open('repo', entry))).toString(), `content of ${name}`);
      }

      await assert.rejects(
        imports.start('repo', 'main', {
          committer: 'ann',
          paths: [{ type: 'common_prefix', path: `${source.namespace}/repo/data/`, destination: '' }],
        }),
        error => isSrvError(error, 'invalid') && /inside the storage namespace/.test(error.message),
      );
    });

    it('storage of the repository is refused, and that of another one held, however a source is spelled', async t => {
      const source = await start();
      t.after(() => source.close());
      const kernel = await boot(source, temporaryFolder(t));
      t.after(() => kernel.stop());
      const { services } = kernel;
      const [block, engine, imports] = [services.get('block'), services.get('engine'), services.get('imports')];
      const [own, other] = [`${source.namespace}/own né`, `${source.namespace}/other né`];
      await engine.createRepository({ id: 'own', storageNamespace: own });
      await engine.createRepository({ id: 'other', storageNamespace: other });
      for (const sourcePath of [`${own}/`, `${own}/data/`, `${own}`, `${own.slice(0, -1)}`, `${source.namespace}/`])
        for (const path of spelled(sourcePath))
          await assert.rejects(
            imports.start('own', 'main', { committer: 'ann', paths: [{ type: 'common_prefix', path, destination: 'in' }] }),
            error => isSrvError(error, 'invalid') && /the storage namespace of the repository/.test(error.message),
            path,
          );

      const name = 'data/a né';
      await block.put({ namespace: other, identifier: name, identifierType: identifierType.relative }, Buffer.from('content'));
      const held: string[] = [];
      const withPins = engine.withPins.bind(engine);
      engine.withPins = (repository, content, work) => {
        if (content.everything) held.push(repository.id);
        return withPins(repository, content, work);
      };
      for (const path of spelled(`${other}/data/`)) {
        const paths = [{ type: 'common_prefix', path, destination: 'in' }] as const;
        const status = await finished(imports, 'own', await imports.start('own', 'main', { committer: 'ann', paths }));
        assert.deepEqual([status.error, status.ingestedObjects], [undefined, 1], path);
        assert.deepEqual(held.splice(0), ['other'], path);
      }
      for (const path of spelled(`${other}/${name}`)) {
        const paths = [{ type: 'object', path, destination: 'one' }] as const;
        const status = await finished(imports, 'own', await imports.start('own', 'main', { committer: 'ann', paths }));
        assert.deepEqual([status.error, status.ingestedObjects], [undefined, 1], path);
        assert.deepEqual(held.splice(0), ['other'], path);
        const entry = await engine.getEntry('own', 'main', 'one');
        assert.equal((await buffer(await engine.open('own', entry))).toString(), 'content');
      }
    });

    // The S3 server of the tests has one bucket.
    if (type === 's3') return;
    it('a bucket does not list a bucket whose name begins with its own', async t => {
      const source = await start();
      t.after(() => source.close());
      assert.ok(source.bucket);
      const kernel = await boot(source, temporaryFolder(t));
      t.after(() => kernel.stop());
      const [block, engine, imports] = [kernel.services.get('block'), kernel.services.get('engine'), kernel.services.get('imports')];
      await engine.createRepository({ id: 'repo', storageNamespace: `${await source.bucket('lake-repos')}/x` });
      await block.put({ namespace: source.namespace, identifier: 'a', identifierType: identifierType.relative }, Buffer.from('a'));
      const paths = [{ type: 'common_prefix', path: source.namespace, destination: 'in' }] as const;
      const status = await finished(imports, 'repo', await imports.start('repo', 'main', { committer: 'ann', paths }));
      assert.deepEqual([status.error, status.ingestedObjects], [undefined, 1]);
    });
  });
}

async function finished(imports: Imports, repository: string, id: string): Promise<ImportStatus> {
  let status = await imports.status(repository, id);
  for (; !status.completed && status.error === undefined; status = await imports.status(repository, id)) await sleep(20);
  return status;
}

/** A kernel with everything but a listener, as `srv` with these variables. */
async function boot({ env }: Source, folder: string): Promise<Kernel> {
  const plugins = ['config', 'block-s3', 'block-gs', 'block-azure', 'kv-local', 'engine', 'import'];
  const kernel = new Kernel({
    part: 'server',
    places: { paths: plugins.map(name => join(repositoryRoot, 'plugins', name)) },
    switches: {},
    home: folder,
    cwd: folder,
    env: {
      ...env,
      SRV_DATABASE_TYPE: 'local',
      SRV_DATABASE_LOCAL_PATH: join(folder, 'kv'),
      SRV_BLOCKSTORE_SIGNING_SECRET_KEY: 'signing',
      SRV_COMMITTED_LOCAL_CACHE_DIR: join(folder, 'cache'),
    },
  });
  await kernel.load();
  await kernel.configure();
  await kernel.start();
  return kernel;
}
