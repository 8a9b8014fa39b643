/** Import from every shared block store, by the drivers and client libraries of production. */
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type {} from '@srv/catalog/contract';
import { Kernel, isSrvError } from '@srv/kernel';
import { identifierType } from '@srv/lib-block-store';
import type {} from '../src/contract.js';
import { startAzurite } from '@srv/test-servers/azure';
import { startGs } from '@srv/test-servers/gs';
import { noGateway, startGateway } from '@srv/test-servers/s3';
import type { TestServer } from '@srv/test-servers';

const repositoryRoot = resolve(import.meta.dirname, '..', '..', '..', '..');

function temporaryFolder(owner: { after(callback: () => Promise<void>): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'srv-import-'));
  owner.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

interface Source extends Pick<TestServer, 'env' | 'close'> {
  readonly namespace: string;
}

const sources: Readonly<Record<string, () => Promise<Source>>> = {
  s3: startGateway,
  azure: async () => {
    const server = await startAzurite();
    return { ...server, namespace: await server.createContainer('lake') };
  },
  gs: async () => {
    const server = await startGs();
    return { ...server, namespace: await server.createBucket('lake') };
  },
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

    it('a prefix and one object become objects of a branch, in order and readable', async t => {
      const source = await start();
      t.after(() => source.close());
      const kernel = await boot(source, folder);
      t.after(() => kernel.stop());
      const [block, catalog, imports] = [kernel.services.get('block'), kernel.services.get('catalog'), kernel.services.get('imports')];
      const outside = { namespace: `${source.namespace}/outside`, identifierType: identifierType.relative };
      const rest = names.values();
      const store = async (): Promise<void> => {
        for (const name of rest) await block.put({ ...outside, identifier: name }, Buffer.from(`content of ${name}`));
      };
      await Promise.all(Array.from({ length: parallel }, store));
      await catalog.createRepository({ id: 'repo', storageNamespace: `${source.namespace}/repo` });

      const single = block.resolve({ ...outside, identifier: 'many/00007' });
      const id = await imports.start('repo', 'main', {
        committer: 'ann',
        paths: [
          { type: 'common_prefix', path: `${outside.namespace}/`, destination: 'in' },
          { type: 'object', path: single, destination: 'one' },
        ],
      });
      let status = await imports.status('repo', id);
      for (; !status.completed && status.error === undefined; status = await imports.status('repo', id)) await sleep(20);
      assert.equal(status.error, undefined);
      assert.equal(status.ingestedObjects, names.length + 1);

      const found: string[] = [];
      for (let from = ''; ; ) {
        const page = await catalog.list('repo', 'main', { after: from, amount: 500 });
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
        const entry = await catalog.getEntry('repo', 'main', `in/${name}`);
        assert.equal((await buffer(await catalog.open('repo', entry))).toString(), `content of ${name}`);
      }

      await assert.rejects(
        imports.start('repo', 'main', {
          committer: 'ann',
          paths: [{ type: 'common_prefix', path: `${source.namespace}/repo/data/`, destination: '' }],
        }),
        error => isSrvError(error, 'invalid') && /inside the storage namespace/.test(error.message),
      );
    });
  });
}

/** A kernel with everything but a listener, as `srv` with these variables. */
async function boot({ env }: Source, folder: string): Promise<Kernel> {
  const plugins = ['config', 'block-s3', 'block-gs', 'block-azure', 'kv-local', 'committed', 'versioning', 'catalog', 'import'];
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
