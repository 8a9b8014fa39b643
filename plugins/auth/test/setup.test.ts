/** The first setup, by several requests. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryKvStore } from '@srv/kernel/testing';
import { startAuth } from './support/auth-server.js';
import { endingAtEachWrite } from './support/ending-store.js';
import { InterleavedStore } from './support/interleaved-store.js';

const names = ['ann', 'bob', 'carl', 'dora'];
const underWay = { code: 'not_unique', message: /^the installation is being set up by another request: wait for it/ };

describe('the first setup', () => {
  for (const mode of ['none', 'simplified', 'internal'] as const)
    it(`by four requests at once, at two servers, makes one administrator, in mode ${mode}`, async () => {
      const kv = new MemoryKvStore();
      const servers = [(await startAuth(kv, mode)).services.get('auth'), (await startAuth(kv, mode)).services.get('auth')] as const;
      const answers = await Promise.allSettled(names.map((username, i) => servers[i % 2 === 0 ? 0 : 1].setup({ username })));
      const refused = answers.flatMap(answer => (answer.status === 'rejected' ? [(answer.reason as { code?: string }).code] : []));
      assert.deepEqual(refused, ['not_unique', 'not_unique', 'not_unique']);
      assert.equal((await servers[0].listUsers()).results.length, 1);
      for (const auth of servers)
        await assert.rejects(auth.setup({ username: 'eve' }), { code: 'not_unique', message: 'lakeFS already initialized' });
      for await (const page of kv.scan('auth')) for (const { key } of page) assert.doesNotMatch(key.toString(), /setup_claim/);
    });

  it('is refused while another request creates its administrator', async () => {
    const kv = new InterleavedStore();
    const auth = (await startAuth(kv)).services.get('auth');
    kv.before('write', 'users/', () => assert.rejects(auth.setup({ username: 'bob' }), underWay));
    await auth.setup({ username: 'ann' });
    assert.deepEqual(
      (await auth.listUsers()).results.map(({ username }) => username),
      ['ann'],
    );
  });

  for (const mode of ['none', 'simplified', 'internal'] as const)
    it(`can be repeated with the same name and key whenever its server ends, in mode ${mode}`, async t => {
      t.mock.timers.enable({ apis: ['Date'], now: 1e12 });
      const request = { username: 'ann', key: { accessKeyId: 'AKIAJFIRST', secretAccessKey: 'a secret' } };
      await endingAtEachWrite(
        async kv => {
          const auth = (await startAuth(kv, mode)).services.get('auth');
          return () => auth.setup(request);
        },
        async ({ kv, after }) => {
          t.mock.timers.tick(60_000);
          const { services } = await startAuth(kv, mode);
          const [auth, identity] = [services.get('auth'), services.get('identity')];
          if (!(await auth.setupState()).initialized) await auth.setup(request);
          assert.deepEqual([(await auth.setupState()).initialized, (await auth.setupState()).notice], [true, undefined], after);
          const known = await identity.authenticate({ kind: 'basic', ...request.key });
          const permission = { action: 'auth:CreateUser', resource: '*' };
          assert.equal(known?.username, 'ann', after);
          assert.equal((await identity.authorize({ user: known, permission })).allowed, true, after);
        },
      );
    });

  it('leaves no access key of an administrator whose setup failed at its last write', async () => {
    const kv = new InterleavedStore();
    const { services } = await startAuth(kv);
    const [auth, accounts] = [services.get('auth'), services.get('accounts')];
    const lost = { accessKeyId: 'AKIAJLOST', secretAccessKey: 'a secret' };
    kv.before('write', 'installation_metadata/setup_timestamp', () => Promise.reject(new Error('the database is gone')));
    await assert.rejects(auth.setup({ username: 'ann', key: lost }), /the database is gone/);
    const { accessKeyId } = await auth.setup({ username: 'ann' });
    assert.equal(await accounts.revealKey(lost.accessKeyId), undefined);
    assert.deepEqual(
      (await auth.listCredentials('ann')).results.map(key => key.accessKeyId),
      [accessKeyId],
    );
    await assert.rejects(auth.setup({ username: 'ann' }), { code: 'not_unique', message: 'lakeFS already initialized' });
  });

  it('can be repeated when what it made cannot be removed', async () => {
    const kv = new InterleavedStore();
    const { services } = await startAuth(kv);
    const [auth, identity] = [services.get('auth'), services.get('identity')];
    kv.before('write', 'uCredentials/', async () => {
      kv.before('delete', 'users/ann', () => Promise.reject(new Error('the database is gone')));
      throw new Error('the database fails');
    });
    await assert.rejects(auth.setup({ username: 'ann' }), /the database is gone/);
    const key = await auth.setup({ username: 'ann' });
    assert.equal((await identity.authenticate({ kind: 'basic', ...key }))?.username, 'ann');
  });

  it('can be repeated at once when it failed, and after a minute when its server ended', async t => {
    const kv = new InterleavedStore();
    const auth = (await startAuth(kv)).services.get('auth');
    t.mock.timers.enable({ apis: ['Date'], now: 1e12 });
    const key = { accessKeyId: 'with a space', secretAccessKey: 'x' };
    await assert.rejects(auth.setup({ username: 'ann', key }), { code: 'invalid' });
    kv.before('write', 'users/', async () => {
      kv.before('delete', 'installation_metadata/setup_claim', () => Promise.reject(new Error('too late')));
      throw new Error('ended');
    });
    await assert.rejects(auth.setup({ username: 'ann' }), /ended/);
    await assert.rejects(auth.setup({ username: 'bob' }), underWay);
    t.mock.timers.tick(60_000);
    await auth.setup({ username: 'bob' });
    assert.deepEqual(
      (await auth.listUsers()).results.map(({ username }) => username),
      ['bob'],
    );
  });
});
