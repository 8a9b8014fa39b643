/** Objects that plugins merge by content (hook `mergeObject`). */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { SrvError, isSrvError } from '@srv/kernel';
import { newRepository, openEngine } from './fixture.js';
import type { TestContext } from 'node:test';
import type { Engine, Entry } from '../../src/contract.js';

const by = { committer: 'test' };

/** Both branches change `paths`; files `*.sum` are numbers whose changes are added, unless one is negative. */
async function diverged(t: TestContext, ...paths: readonly string[]) {
  const { engine } = await openEngine(t);
  const repository = await newRepository(engine, 'repo', 'other');
  const asked: string[] = [];
  const carried: string[] = [];
  const put = (branch: string, path: string, text: string): Promise<Entry> => engine.putObject(repository, branch, path, Buffer.from(text));
  const read = async (ref: string, path: string): Promise<string> =>
    String(await buffer(await engine.open(repository, await engine.getEntry(repository, ref, path))));
  engine.hooks.mergeObject.tapPromise('sums', async ({ path, destination, source, base }) => {
    asked.push(path);
    if (!path.endsWith('.sum')) return undefined;
    const [d, s, b] = await Promise.all(
      [destination, source, base].map(async entry => (entry ? Number(await buffer(await engine.open(repository, entry))) : undefined)),
    );
    if (d === undefined || s === undefined) throw new SrvError('conflict', `${path} was removed`);
    if (s < 0) throw new SrvError('conflict', `${path} fell below zero`);
    return {
      carryOut: async () => {
        carried.push(path);
        return { body: Buffer.from(String(d + s - (b ?? 0))), contentType: 'text/plain' };
      },
    };
  });
  for (const path of paths) await put('main', path, '10');
  await engine.commit(repository, 'main', { ...by, message: 'base' });
  await engine.createBranch(repository, 'dev', 'main');
  const commitBoth = async (): Promise<void> => {
    for (const branch of ['main', 'dev']) await engine.commit(repository, branch, { ...by, message: branch });
  };
  return {
    engine,
    repository,
    asked,
    carried,
    put,
    read,
    commitBoth,
    merge: (more = {}) => engine.merge(repository, 'dev', 'main', { ...by, ...more }),
  };
}

const previewOf = async (engine: Engine): Promise<Record<string, string>> => {
  const { results } = await engine.diff('repo', 'main', 'dev');
  return Object.fromEntries(results.map(({ path, type }) => [path, type]));
};

async function conflictOf(merging: Promise<unknown>): Promise<readonly unknown[]> {
  const error = await merging.then(
    () => assert.fail('merged'),
    (thrown: unknown) => thrown,
  );
  assert.ok(isSrvError(error, 'conflict'), String(error));
  return [error.message, error.details['path']];
}

test('objects of a plugin are merged, and all others as ever', async t => {
  const { engine, put, read, commitBoth, merge, asked } = await diverged(t, 'a.sum', 'b.sum');
  for (const path of ['a.sum', 'b.sum']) {
    await put('main', path, '13');
    await put('dev', path, '15');
  }
  await put('main', 'new.sum', '1');
  await put('dev', 'new.sum', '2');
  await put('main', 'm', 'm');
  await put('dev', 'd', 'd');
  await commitBoth();
  assert.deepEqual(await previewOf(engine), { 'a.sum': 'changed', 'b.sum': 'changed', d: 'added', 'new.sum': 'changed' });
  asked.length = 0;
  const { parents } = await merge();
  assert.equal(parents.length, 2);
  assert.deepEqual(await Promise.all(['a.sum', 'b.sum', 'new.sum', 'm', 'd'].map(path => read('main', path))), ['18', '18', '3', 'm', 'd']);
  assert.deepEqual(asked, ['a.sum', 'b.sum', 'new.sum']);
  const entry = await engine.getEntry('repo', 'main', 'a.sum');
  assert.deepEqual([entry.size, entry.contentType, entry.etag], [2, 'text/plain', '6f4922f45568161a8cdf4ad2299f6d23']);
  assert.equal(await read('dev', 'a.sum'), '15');
});

test('one object that nothing merges is a conflict, and nothing is made for the others', async t => {
  const { engine, put, commitBoth, merge, carried } = await diverged(t, 'a.sum', 'plain', 'z.sum');
  for (const path of ['a.sum', 'plain', 'z.sum']) {
    await put('main', path, '1');
    await put('dev', path, '2');
  }
  await commitBoth();
  assert.deepEqual(await previewOf(engine), { 'a.sum': 'changed', plain: 'conflict', 'z.sum': 'changed' });
  assert.deepEqual(await conflictOf(merge()), ['conflict found', 'plain']);
  assert.deepEqual(carried, []);
});

test('the reasons of a plugin are part of the conflict, of cherry-picks as well', async t => {
  const { engine, put, commitBoth, merge } = await diverged(t, 'a.sum', 'b.sum');
  await put('main', 'a.sum', '1');
  await put('dev', 'a.sum', '-2');
  await engine.deleteObject('repo', 'main', 'b.sum');
  await put('dev', 'b.sum', '3');
  await commitBoth();
  assert.deepEqual(await previewOf(engine), { 'a.sum': 'conflict', 'b.sum': 'conflict' });
  assert.deepEqual(await conflictOf(merge()), ['conflict found: a.sum fell below zero', 'a.sum']);
  assert.deepEqual(await conflictOf(engine.cherryPick('repo', 'main', { ...by, ref: 'dev' })), [
    'update branch: conflict found: a.sum fell below zero',
    'a.sum',
  ]);
});

test('a strategy decides without the plugin', async t => {
  const { put, read, commitBoth, merge, asked } = await diverged(t, 'a.sum');
  await put('main', 'a.sum', '1');
  await put('dev', 'a.sum', '2');
  await commitBoth();
  await merge({ strategy: 'source-wins' });
  assert.equal(await read('main', 'a.sum'), '2');
  assert.deepEqual(asked, []);
});

test('a revert merges with what came later', async t => {
  const { engine, put, read } = await diverged(t, 'a.sum');
  await put('main', 'a.sum', '14');
  const { id } = await engine.commit('repo', 'main', { ...by, message: 'four more' });
  await put('main', 'a.sum', '15');
  await engine.commit('repo', 'main', { ...by, message: 'one more' });
  await engine.revert('repo', 'main', { ...by, ref: id });
  assert.equal(await read('main', 'a.sum'), '11');
});
