/** What one user alone has, when several requests want it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LoginLimits, Sessions, SignIns } from '@srv/lib-auth';
import { createAccountService } from '../src/server/accounts.js';
import { Directory } from '../src/server/directory/directory.js';
import { encodeIndex } from '../src/server/storage/records.js';
import { createSecretBox } from '../src/server/storage/secrets.js';
import { InterleavedStore } from './support/interleaved-store.js';

function setUp() {
  const kv = new InterleavedStore();
  const cache = { size: 0, ttl: 0, jitter: 0 };
  const directory = new Directory({ kv, box: createSecretBox('k'), mode: 'internal', cacheOf: () => cache });
  const sessions = new Sessions({ kv, partition: 'auth', directory, secretKey: 'k', cache, duration: 1e6, maxDuration: 1e6 });
  const signIns = new SignIns(directory, new LoginLimits(), cache, () => undefined);
  return { kv, directory, accounts: createAccountService({ kv, directory, sessions, signIns, mode: 'internal', secretKey: 'k' }) };
}

const notUnique = { code: 'not_unique', message: 'Already exists' };
const facts = { externalId: '', email: '', friendlyName: '', inactive: false };

describe('an external ID and an e-mail address', () => {
  for (const [kind, account] of [
    ['external ID', { externalId: 'XE' }],
    ['e-mail address', { email: 'xe@example.com' }],
  ] as const) {
    const find = ({ accounts }: ReturnType<typeof setUp>) =>
      kind === 'external ID' ? accounts.findByExternalId('XE') : accounts.findByEmail('XE@example.com');

    it(`of two users created at once are one user's: ${kind}`, async () => {
      const here = setUp();
      const { kv, accounts, directory } = here;
      kv.before('write', 'users/', () => assert.rejects(accounts.createAccount({ username: 'xe-1', ...account }), notUnique));
      await accounts.createAccount({ username: 'xe-0', ...account });
      assert.equal((await find(here))?.username, 'xe-0');
      assert.equal(await directory.users.find('xe-1'), undefined);
    });

    it(`of two users changed at once are one user's: ${kind}`, async () => {
      const here = setUp();
      const { kv, accounts, directory } = here;
      for (const username of ['xe-0', 'xe-1']) await accounts.createAccount({ username });
      kv.before('write', 'users/', () => assert.rejects(directory.reassignUser('xe-1', { ...facts, ...account }), notUnique));
      await directory.reassignUser('xe-0', { ...facts, ...account });
      assert.equal((await find(here))?.username, 'xe-0');
      await directory.reassignUser('xe-0', facts);
      await directory.reassignUser('xe-1', { ...facts, ...account });
      assert.equal((await find(here))?.username, 'xe-1');
    });

    it(`changed there and back at once leads to the user: ${kind}`, async t => {
      t.mock.timers.enable({ apis: ['Date'], now: 1e12 });
      const key = kind === 'external ID' ? 'externalIds/XE' : 'userEmails/xe@';
      const other = kind === 'external ID' ? { externalId: 'other' } : { email: 'other@example.com' };
      for (const [action, at] of [
        ['write', 'users/'],
        ['write', key],
        ['delete', key],
      ] as const) {
        const { kv, accounts, directory } = setUp();
        await accounts.createAccount({ username: 'xe-0', ...account });
        await accounts.createAccount({ username: 'xe-1' });
        kv.before(action, at, () => directory.reassignUser('xe-0', { ...facts, ...account }).catch(() => undefined));
        await directory.reassignUser('xe-0', { ...facts, ...other });
        const now = await directory.users.findAccount('xe-0');
        const { email, externalId = '' } = now ?? {};
        const found = kind === 'external ID' ? await accounts.findByExternalId(externalId) : await accounts.findByEmail(email ?? '');
        assert.equal(found?.username, 'xe-0', `${action} ${at}`);
        await assert.rejects(directory.reassignUser('xe-1', { ...facts, email: email ?? '', externalId }), notUnique);
      }
    });

    it(`are free again when the user is not created after all: ${kind}`, async () => {
      const here = setUp();
      const { kv, accounts } = here;
      kv.before('write', 'users/', () => Promise.reject(new Error('the database is gone')));
      await assert.rejects(accounts.createAccount({ username: 'xe-0', ...account }), /the database is gone/);
      await accounts.createAccount({ username: 'xe-1', ...account });
      assert.equal((await find(here))?.username, 'xe-1');
    });

    it(`that a server claimed before it ended are free after a while: ${kind}`, async t => {
      const here = setUp();
      const { kv, accounts } = here;
      const key = Buffer.from(kind === 'external ID' ? 'externalIds/XE' : 'userEmails/xe@example.com');
      t.mock.timers.enable({ apis: ['Date'], now: 1e12 });
      kv.before('write', 'users/', async () => {
        // The process ends here: nothing gives the claim back.
        kv.before('delete', key.toString(), () => Promise.reject(new Error('too late')));
        throw new Error('ended');
      });
      await assert.rejects(accounts.createAccount({ username: 'xe-0', ...account }), /ended/);
      await assert.rejects(accounts.createAccount({ username: 'xe-1', ...account }), notUnique);
      t.mock.timers.tick(60_000);
      await accounts.createAccount({ username: 'xe-1', ...account });
      assert.equal((await find(here))?.username, 'xe-1');
      await here.directory.deleteUser('xe-1');
      await kv.set('auth', key, encodeIndex('users/xe-0'));
      await accounts.createAccount({ username: 'xe-2', ...account });
      assert.equal((await find(here))?.username, 'xe-2', 'an entry of an earlier version that leads nowhere');
    });
  }
});

describe('an access key ID', () => {
  it('of two users who take it at once is one user’s', async () => {
    const { kv, accounts, directory } = setUp();
    const key = { accessKeyId: 'AKIAJBOTH', secretAccessKey: 'a secret' };
    for (const username of ['xe-0', 'xe-1']) await accounts.createAccount({ username });
    kv.before('write', 'uCredentials/', () => assert.rejects(directory.createCredential('xe-1', key), notUnique));
    await directory.createCredential('xe-0', key);
    assert.equal((await directory.findAccessKey(key.accessKeyId))?.username, 'xe-0');
    assert.deepEqual((await directory.credentials.page({ partition: 'auth', slot: 'xe-1' })).results, []);
    await directory.deleteCredential('xe-0', key.accessKeyId);
    await directory.createCredential('xe-1', key);
    assert.equal((await directory.findAccessKey(key.accessKeyId))?.username, 'xe-1');
  });
});
