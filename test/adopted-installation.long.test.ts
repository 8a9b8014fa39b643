/** A database of an installation that keeps metadata in another folder than this product does. */
import assert from 'node:assert/strict';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { Kernel, SrvError, isSrvError } from '@srv/kernel';
import { repositoryRoot, temporaryFolder } from './programs.js';
import type { TestContext } from 'node:test';
import type {} from '@srv/engine/contract';
import type { Services } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';

type Stores = Pick<Services, 'kv' | 'block'>;

interface Installation {
  readonly folder: string;
  /**
   * Runs `work` in a server with this metadata folder; `undefined`: none is configured.
   * @param over makes the stores the server works with of its own.
   */
  during<T>(prefix: string | undefined, work: (kernel: Kernel) => Promise<T>, over?: (own: Stores) => Stores): Promise<T>;
}

function installation(t: TestContext): Installation {
  const folder = temporaryFolder(t);
  let runs = 0;
  return {
    folder,
    async during(prefix, work, over) {
      const entry = (key: string, raw: unknown) => ({ key, raw, source: 'test' });
      const kernel = new Kernel({
        part: 'server',
        places: { builtIn: [join(repositoryRoot, 'plugins')] },
        env: {},
        home: folder,
        cwd: folder,
        overrides: [
          entry('database.type', 'local'),
          entry('database.local.path', join(folder, 'kv')),
          entry('blockstore.type', 'local'),
          entry('blockstore.local.path', join(folder, 'block')),
          entry('blockstore.signing.secret_key', 'signing'),
          entry('auth.encrypt.secret_key', 'secret-key-of-this-test'),
          entry('logging.output', '='),
          entry('logging.level', 'ERROR'),
          // A new machine: no local copies.
          entry('committed.local_cache.dir', join(folder, `cache-${runs++}`)),
          ...(prefix === undefined ? [] : [entry('committed.block_storage_prefix', prefix)]),
        ],
      });
      await kernel.load();
      if (over) kernel.hooks.stores.tap('test', over);
      await kernel.configure();
      try {
        await kernel.start({ serve: false });
        return await work(kernel);
      } finally {
        await kernel.stop();
      }
    },
  };
}

async function commit({ services }: Kernel, repository: string, path: string): Promise<void> {
  const engine = services.get('engine');
  await engine.putObject(repository, 'main', path, Buffer.from(`content of ${path}`));
  await engine.commit(repository, 'main', { committer: 'ann', message: path });
}

async function read({ services }: Kernel, repository: string, path: string): Promise<string> {
  const engine = services.get('engine');
  return (await buffer(await engine.open(repository, await engine.getEntry(repository, 'main', path)))).toString();
}

const created = (kernel: Kernel, id: string) => kernel.services.get('engine').createRepository({ id, storageNamespace: `local://${id}` });
const foldersOf = async ({ folder }: Installation, id: string): Promise<string[]> =>
  (await readdir(join(folder, 'block', id))).filter(name => name.startsWith('_') || name === 'meta').sort();

describe('an installation with another metadata folder', () => {
  it('is read and written where its metadata is, and new repositories follow', async t => {
    const given = installation(t);
    await given.during('_lakefs', async kernel => {
      await created(kernel, 'old');
      await commit(kernel, 'old', 'before');
    });
    await given.during(undefined, async kernel => {
      assert.equal(await read(kernel, 'old', 'before'), 'content of before');
      await commit(kernel, 'old', 'after');
      const location = await kernel.services.get('engine').metadataLocation('old', 'f'.repeat(64));
      assert.equal(location, `_lakefs/${'f'.repeat(64)}`);
      await created(kernel, 'new');
      await commit(kernel, 'new', 'first');
    });
    assert.deepEqual(await foldersOf(given, 'old'), ['_lakefs']);
    assert.deepEqual(await foldersOf(given, 'new'), ['_lakefs']);
    await given.during('_lakefs', async kernel => {
      assert.equal(await read(kernel, 'old', 'after'), 'content of after');
      assert.equal(await read(kernel, 'new', 'first'), 'content of first');
    });
  });

  it('may hold repositories of both kinds; each keeps its folder, whatever is configured', async t => {
    const given = installation(t);
    await given.during('_lakefs', kernel => created(kernel, 'old').then(() => commit(kernel, 'old', 'a')));
    await given.during('_srv', kernel => created(kernel, 'own').then(() => commit(kernel, 'own', 'a')));
    for (const prefix of ['_lakefs', '_srv', undefined]) {
      await given.during(prefix, async kernel => {
        for (const id of ['old', 'own']) {
          assert.equal(await read(kernel, id, 'a'), 'content of a');
          await commit(kernel, id, `b-${prefix}`);
        }
      });
    }
    assert.deepEqual(await foldersOf(given, 'old'), ['_lakefs']);
    assert.deepEqual(await foldersOf(given, 'own'), ['_srv']);
  });

  it('is known by its files where the mark is gone', async t => {
    const given = installation(t);
    await given.during('_lakefs', kernel => created(kernel, 'old').then(() => commit(kernel, 'old', 'a')));
    await rename(join(given.folder, 'block/old/_lakefs/dummy'), join(given.folder, 'dummy'));
    await given.during(undefined, async kernel => {
      assert.equal(await read(kernel, 'old', 'a'), 'content of a');
      await commit(kernel, 'old', 'b');
    });
    assert.deepEqual(await foldersOf(given, 'old'), ['_lakefs']);
  });

  it('does not start when nothing shows the folder; configured, it does', async t => {
    const given = installation(t);
    await given.during('meta', kernel => created(kernel, 'old').then(() => commit(kernel, 'old', 'a')));
    await assert.rejects(
      given.during(undefined, () => Promise.resolve()),
      error =>
        isSrvError(error, 'config') &&
        /commits of repository old are in no known folder of local:\/\/old.*set committed\.block_storage_prefix to the folder/.test(
          error.message,
        ),
    );
    assert.deepEqual(await foldersOf(given, 'old'), ['meta']);
    assert.equal(await given.during('meta', kernel => read(kernel, 'old', 'a')), 'content of a');
  });

  it('starts with repositories that hold no commit yet, and with one that lost its metadata among others', async t => {
    const given = installation(t);
    await given.during(undefined, kernel => created(kernel, 'empty'));
    await given.during(undefined, kernel => created(kernel, 'lost').then(() => commit(kernel, 'lost', 'a')));
    await rename(join(given.folder, 'block/lost'), join(given.folder, 'gone'));
    await given.during(undefined, kernel => commit(kernel, 'empty', 'a'));
    assert.deepEqual(await foldersOf(given, 'empty'), ['_srv']);
  });

  it('creates no repository before a storage has shown the folder', async t => {
    const given = installation(t);
    await given.during('_lakefs', kernel => created(kernel, 'old').then(() => commit(kernel, 'old', 'a')));
    let isDown = true;
    const unreachable = ({ kv, block }: Stores): Stores => ({ kv, block: whileDown(block, () => isDown) });
    await given.during(
      undefined,
      async kernel => {
        await assert.rejects(
          created(kernel, 'new'),
          error => isSrvError(error, 'unavailable') && /try again, or set committed\.block_storage_prefix/.test(error.message),
        );
        isDown = false;
        await created(kernel, 'new');
        await commit(kernel, 'new', 'a');
      },
      unreachable,
    );
    assert.deepEqual(await foldersOf(given, 'new'), ['_lakefs']);
    isDown = true;
    // Where the operator has decided, there is nothing to search for.
    await given.during(
      '_srv',
      async kernel => {
        isDown = false;
        await created(kernel, 'decided');
      },
      unreachable,
    );
    assert.deepEqual(await foldersOf(given, 'decided'), ['_srv']);
  });
});

/** A block store that finds nothing out while it is down. */
function whileDown(block: BlockStore, isDown: () => boolean): BlockStore {
  return new Proxy(block, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name === 'exists' && isDown()) return () => Promise.reject(new SrvError('unavailable', 'no answer'));
      return value.bind(target) as unknown;
    },
  });
}
