/** The first setup, by several requests. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryKvStore } from '@srv/kernel/testing';
import { startAuth } from './support/auth-server.js';
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
