import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectorOn, finish, mortal, ofSurvivor, withoutBeats } from './collectors.js';
import { ageless, daysAgo, exists, openEngine } from './fixture.js';

it('a collector killed at any write has removed nothing that is referred to, and another one finishes', async t => {
  const engine = await openEngine({ config: ageless });
  t.after(() => engine.stop());
  const { catalog, kernel } = engine;
  let survived = false;
  for (let writes = 1; !survived; writes++) {
    const id = `kill-${writes}`;
    const repository = await catalog.createRepository({ id, storageNamespace: `mem://bucket/${id}` });
    await engine.gc.setRules(id, { defaultRetentionDays: 1, branches: [] });
    const put = async (path: string): Promise<string> => (await catalog.putObject(id, 'main', path, Buffer.from(path))).address;
    const expired = await put('expired');
    await catalog.commit(id, 'main', { committer: 't', message: 'm', date: daysAgo(9) });
    await catalog.deleteObject(id, 'main', 'expired');
    const committed = await put('committed');
    await catalog.commit(id, 'main', { committer: 't', message: 'm', date: daysAgo(8) });
    const lost = await put('lost');
    await catalog.resetBranch(id, 'main', { type: 'all' });
    const staged = await put('staged');
    await sleep(2);

    const stores = mortal(engine, writes);
    const dying = collectorOn(engine, `dying-${writes}`, stores, withoutBeats);
    await dying.start(repository, { mode: 'run' }).then(
      run => dying.wait(run),
      () => {},
    );
    survived = !stores.isDead();
    for (const address of [committed, staged]) assert.ok(await exists(engine, id, address), `after ${writes} writes`);
    await finish(collectorOn(engine, `next-${writes}`, engine, ofSurvivor), await kernel.services.get('engine').getRepository(id));
    for (const address of [committed, staged]) assert.ok(await exists(engine, id, address), `after ${writes} writes and another run`);
    for (const address of [expired, lost]) assert.ok(!(await exists(engine, id, address)), `garbage is left after ${writes} writes`);
    assert.ok(writes < 100, 'a run ends');
  }
});
