/** Operations during a run: each must be able to read what it refers to afterwards. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSrvError } from '@srv/kernel';
import { identifierType } from '@srv/lib-stores/block';
import { startSrv } from '@srv/test-servers';
import { removeBatch } from '../src/sweep/remove-batch.js';
import { ageless, collect, daysAgo, ended, exists, openEngine, temporaryFolder } from './fixture.js';
import type { TestContext } from 'node:test';
import type {} from '@srv/import/contract';
import type { RunningSrv } from '@srv/test-servers';
import type { OpenEngine } from './fixture.js';

const commit = { committer: 'tester', message: 'm' };

interface Opened extends OpenEngine {
  /** Address of a new object at a path of main. */
  readonly put: (path: string) => Promise<string>;
  readonly commitAt: (days: number) => Promise<string>;
  readonly here: (address: string) => Promise<boolean>;
}

async function open(t: TestContext): Promise<Opened> {
  const engine = await openEngine({ config: ageless });
  t.after(() => engine.stop());
  const { catalog } = engine;
  await catalog.createRepository({ id: 'repo', storageNamespace: 'mem://bucket/repo' });
  return {
    ...engine,
    put: async path => (await catalog.putObject('repo', 'main', path, Buffer.from(path))).address,
    commitAt: async days => (await catalog.commit('repo', 'main', { ...commit, date: daysAgo(days) })).id,
    here: address => exists(engine, 'repo', address),
  };
}

/** An old commit whose object the next run collects: its id and the object's address. */
async function expired({ catalog, gc, put, commitAt }: Opened): Promise<{ readonly id: string; readonly address: string }> {
  await gc.setRules('repo', { defaultRetentionDays: 1, branches: [], tags: { keep: 'none' } });
  const address = await put('old');
  const id = await commitAt(90);
  await catalog.deleteObject('repo', 'main', 'old');
  await commitAt(80);
  await put('new');
  await commitAt(70);
  return { id, address };
}

describe('a run, and meanwhile', () => {
  it('a branch from an expired commit between mark and sweep: its objects stay', async t => {
    const engine = await open(t);
    const { id, address } = await expired(engine);
    const marked = await collect(engine.gc, 'repo', { mode: 'mark' });
    assert.equal(marked.candidates, 1);
    await engine.catalog.createBranch('repo', 'revived', id);
    const swept = await ended(engine.gc, 'repo', engine.gc.sweep('repo', marked.id));
    assert.deepEqual([swept.spared, swept.deleted, await engine.here(address)], [1, 0, true]);
  });

  it('a branch from an expired commit while its batch is removed: it waits for the end of the batch', async t => {
    const engine = await open(t);
    const { id, address } = await expired(engine);
    let branch: Promise<unknown> | undefined;
    let isMade = false;
    engine.kernel.hooks.gcSweep.tapPromise({ name: 'gc', stage: -1 }, async batch => {
      branch ??= engine.catalog.createBranch('repo', 'late', id).then(() => {
        isMade = true;
      });
      await sleep(100);
      assert.equal(isMade, false, 'not while objects go that were checked before it was announced');
      return removeBatch(batch, { block: engine.block, parallelism: 1 });
    });
    const run = await collect(engine.gc, 'repo');
    await branch;
    assert.deepEqual([run.phase, run.deleted, isMade, await engine.here(address)], ['done', 1, true, false]);
    const entry = await engine.catalog.getEntry('repo', 'late', 'old');
    await assert.rejects(engine.catalog.open('repo', entry), new RegExp(`collected as garbage by run ${run.id}`));
  });

  it('a revert, a cherry-pick, a hard reset and a merge of what is condemned: it stays', async t => {
    for (const revive of ['revert', 'cherry-pick', 'reset', 'merge'] as const) {
      const engine = await open(t);
      const { id, address } = await expired(engine);
      await engine.catalog.createBranch('repo', 'other', 'main');
      const marked = await collect(engine.gc, 'repo', { mode: 'mark' });
      assert.equal(marked.candidates, 1);
      if (revive === 'revert') await engine.catalog.revert('repo', 'other', { ref: 'main~1', committer: 't' });
      else if (revive === 'cherry-pick') await engine.catalog.cherryPick('repo', 'other', { ref: id, committer: 't' });
      else if (revive === 'reset') await engine.catalog.hardResetBranch('repo', 'other', id);
      else await engine.catalog.merge('repo', id, 'other', { ...commit, strategy: 'source-wins', allowEmpty: true });
      const swept = await ended(engine.gc, 'repo', engine.gc.sweep('repo', marked.id));
      const shown = await engine.catalog.getEntry('repo', 'other', 'old').catch(() => undefined);
      // A merge of an ancestor changes nothing: then no branch contains the object.
      assert.equal(await engine.here(address), shown !== undefined, `${revive}: ${swept.deleted} deleted, ${swept.spared} spared`);
      if (revive !== 'merge') assert.ok(shown);
      await engine.stop();
    }
  });

  it('a copy of what an old commit shows: it stays, or the copy is refused', async t => {
    const from = 'old';
    for (const copy of ['object', 'prefix'] as const)
      for (const isGone of [false, true]) {
        const engine = await open(t);
        const { id, address } = await expired(engine);
        const { catalog } = engine;
        const marked = await collect(engine.gc, 'repo', { mode: isGone ? 'run' : 'mark' });
        const copying =
          copy === 'object'
            ? catalog.copyObject('repo', { ref: id, path: from }, { branch: 'main', path: 'copy' })
            : catalog.copyPrefix('repo', 'main', { source: id, from, to: 'copy', exact: true });
        if (isGone) await assert.rejects(copying, error => isSrvError(error, 'no_data') && error.message.includes(`"${from}"`));
        else {
          await copying;
          await ended(engine.gc, 'repo', engine.gc.sweep('repo', marked.id));
        }
        const shown = await catalog.getEntry('repo', 'main', 'copy').catch(() => undefined);
        assert.deepEqual([await engine.here(address), shown?.address], isGone ? [false, undefined] : [true, address], copy);
        await engine.stop();
      }
  });

  it('a commit of what is staged: its objects stay', async t => {
    const engine = await open(t);
    await engine.gc.setRules('repo', { defaultRetentionDays: 0, branches: [] });
    const address = await engine.put('x');
    engine.kernel.hooks.gcPlan.tapPromise({ name: 'gc', stage: -1 }, async () => {
      await engine.catalog.commit('repo', 'main', { ...commit, date: daysAgo(5) }).catch(() => {});
    });
    const run = await collect(engine.gc, 'repo');
    assert.deepEqual([run.phase, run.deleted, await engine.here(address)], ['done', 0, true]);
  });

  it('prefixes that move to and fro on the branch: their objects stay', async t => {
    const engine = await open(t);
    const addresses = await Promise.all(['a/1', 'a/2', 'a/3'].map(engine.put));
    let isOver = false;
    const moving = (async () => {
      for (let i = 0; !isOver; i++) {
        const [from, to] = i % 2 === 0 ? ['a/', 'z/'] : ['z/', 'a/'];
        await engine.catalog.copyPrefix('repo', 'main', { from, to, move: true });
      }
    })();
    try {
      for (let i = 0; i < 20; i++) {
        const { phase, deleted } = await collect(engine.gc, 'repo');
        assert.deepEqual([phase, deleted], ['done', 0]);
      }
    } finally {
      isOver = true;
    }
    await moving;
    assert.deepEqual(await Promise.all(addresses.map(engine.here)), [true, true, true]);
  });

  it('an upload that is completed: its object stays, from the tracker to the branch', async t => {
    const engine = await open(t);
    const { catalog, block, kv } = engine;
    const identifier = catalog.allocateAddress();
    const pointer = { namespace: 'mem://bucket/repo', identifier, identifierType: identifierType.relative };
    const { uploadId } = await block.createMultipart(pointer);
    await kv.set(
      'multiparts',
      Buffer.from(uploadId),
      Buffer.from(`\x0a\x20${uploadId}\x22${String.fromCharCode(identifier.length)}${identifier}`),
    );
    const { etag } = await block.uploadPart(pointer, uploadId, 1, Buffer.from('part'));
    // The record goes when the entry is staged, after the records of uploads were read and before the branches are.
    engine.kernel.hooks.gcPlan.tapPromise({ name: 'gc', stage: -1 }, async () => {
      await block.completeMultipart(pointer, uploadId, [{ partNumber: 1, etag }]).catch(() => {});
      const facts = { address: identifier, addressType: identifierType.relative, size: 4, etag };
      await catalog.stageEntry(await catalog.getRepository('repo'), 'main', 'x', facts);
      await kv.delete('multiparts', Buffer.from(uploadId));
    });
    assert.deepEqual([(await collect(engine.gc, 'repo')).deleted, await engine.here(identifier)], [0, true]);
    assert.deepEqual([(await collect(engine.gc, 'repo')).deleted, await engine.here(identifier)], [0, true]);
  });

  it('a second repository in its namespace: nothing is removed, neither before the mark nor in the sweep', async t => {
    for (const namespace of ['mem://bucket/repo/below', 'mem://bucket']) {
      const engine = await open(t);
      const lost = await engine.put('x');
      await engine.catalog.resetBranch('repo', 'main', { type: 'all' });
      const marked = await collect(engine.gc, 'repo', { mode: 'mark' });
      await engine.catalog.createRepository({ id: 'second', storageNamespace: namespace, readOnly: true });
      const swept = await ended(engine.gc, 'repo', engine.gc.sweep('repo', marked.id));
      assert.deepEqual([swept.phase, swept.deleted, await engine.here(lost)], ['failed', 0, true]);
      assert.match(swept.error ?? '', /overlaps .* of repository second/);
      assert.match((await collect(engine.gc, 'repo')).error ?? '', /overlaps .* of repository second/);
      await engine.stop();
    }
  });

  it('a restore of dumped references: no run removes what it brings back', async t => {
    const engine = await open(t);
    const { catalog, gc, put, here } = engine;
    const kept: string[] = [];
    for (let i = 0; i < 5; i++) {
      kept.push(await put(`file ${i}`));
      await catalog.commit('repo', 'main', commit);
      await catalog.createBranch('repo', `b${i}`, 'main');
    }
    const dump = await catalog.dumpRefs('repo');
    await catalog.deleteRepository('repo');
    await catalog.createRepository({ id: 'repo', storageNamespace: 'mem://bucket/repo', bare: true });
    const before = await collect(gc, 'repo');
    assert.match(before.error ?? '', /no branch main, its default: it is bare or its refs are being restored/);
    const restored = { done: false };
    const restoring = catalog.restoreRefs('repo', dump).finally(() => {
      restored.done = true;
    });
    while (!restored.done) {
      const run = await collect(gc, 'repo');
      assert.equal(run.deleted, 0, run.error);
    }
    await restoring;
    assert.equal((await collect(gc, 'repo')).deleted, 0);
    assert.deepEqual(
      await Promise.all(kept.map(here)),
      kept.map(() => true),
    );
  });
});

describe('a whole server', () => {
  async function serve(t: TestContext, config: Readonly<Record<string, unknown>> = {}): Promise<RunningSrv> {
    const server = await startSrv({ plugins: ['gc', 'import'], config: { 'gc.cache_dir': await temporaryFolder(t), ...config } });
    t.after(server.stop);
    return server;
  }

  it('collects no address that was handed out and is linked later', async t => {
    const server = await serve(t, ageless);
    const { catalog, block, gc } = {
      catalog: server.kernel.services.get('engine'),
      block: server.kernel.services.get('block'),
      gc: server.kernel.services.get('gc'),
    };
    await catalog.createRepository({ id: 'repo', storageNamespace: 'local://repo' });
    const auth = `Basic ${Buffer.from(`${server.key.accessKeyId}:${server.key.secretAccessKey}`).toString('base64')}`;
    const backing = `${server.url}/api/v1/repositories/repo/branches/main/staging/backing?path=linked`;
    const given = (await (await fetch(backing, { headers: { authorization: auth } })).json()) as { physical_address: string };
    const pointer = { namespace: 'local://repo', identifier: given.physical_address, identifierType: identifierType.full };
    await block.put(pointer, Buffer.from('linked later'));
    // The youngest object is old here: what protects it otherwise is its age.
    const marked = await collect(gc, 'repo', { mode: 'mark' });
    assert.equal(marked.candidates, 1);
    const linked = await fetch(backing, {
      method: 'PUT',
      headers: { authorization: auth, 'content-type': 'application/json' },
      body: JSON.stringify({ staging: { physical_address: given.physical_address }, checksum: 'c', size_bytes: 12 }),
    });
    assert.equal(linked.status, 200, await linked.text());
    const swept = await ended(gc, 'repo', gc.sweep('repo', marked.id));
    assert.deepEqual([swept.deleted, swept.spared, await block.exists(pointer)], [0, 1, true]);

    const patient = await serve(t);
    await patient.kernel.services.get('engine').createRepository({ id: 'repo', storageNamespace: 'local://repo' });
    await patient.kernel.services.get('block').put(
      {
        namespace: 'local://repo',
        identifier: patient.kernel.services.get('engine').allocateAddress(),
        identifierType: identifierType.relative,
      },
      Buffer.from('x'),
    );
    const run = await collect(patient.kernel.services.get('gc'), 'repo');
    assert.deepEqual([run.young, run.candidates, run.deleted], [1, 0, 0], 'its age protects an address that can still be linked');
  });

  it('collects nothing while another repository imports from the namespace, and then keeps what was imported', async t => {
    const server = await serve(t, ageless);
    const { services, hooks } = server.kernel;
    const [catalog, block, gc, imports] = [services.get('engine'), services.get('block'), services.get('gc'), services.get('imports')];
    await catalog.createRepository({ id: 'owner', storageNamespace: 'local://owner' });
    await catalog.createRepository({ id: 'reader', storageNamespace: 'local://reader' });
    const { address } = await catalog.putObject('owner', 'main', 'x', Buffer.from('x'));
    await catalog.resetBranch('owner', 'main', { type: 'all' });
    const pointer = { namespace: 'local://owner', identifier: address, identifierType: identifierType.relative };
    let letGo = (): void => {};
    const held = new Promise<void>(resolve => {
      letGo = resolve;
    });
    let arrived = (): void => {};
    const underWay = new Promise<void>(resolve => {
      arrived = resolve;
    });
    hooks.event.for('pre-commit').tapPromise('gc', async event => {
      if (event.repository !== 'reader') return;
      arrived();
      await held;
    });
    const path = block.resolve(pointer).replace(/[^/]*$/, '');
    const id = await imports.start('reader', 'main', { paths: [{ type: 'common_prefix', path, destination: 'in/' }], committer: 't' });
    await underWay;
    const during = await collect(gc, 'owner');
    assert.deepEqual([during.phase, during.deleted], ['failed', 0]);
    assert.match(during.error ?? '', /another repository imports from this one/);
    letGo();
    for (;;) {
      const status = await imports.status('reader', id);
      assert.equal(status.error, undefined);
      if (status.completed) break;
      await sleep(10);
    }
    const after = await collect(gc, 'owner');
    assert.deepEqual([after.phase, after.error, after.deleted, await block.exists(pointer)], ['done', undefined, 0, true]);
    await assert.rejects(imports.start('reader', 'none', { paths: [], committer: 't' }), (error: unknown) =>
      isSrvError(error, 'not_found'),
    );
  });
});
