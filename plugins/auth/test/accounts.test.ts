import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryKvStore } from '@srv/kernel/testing';
import { LoginLimits, Sessions, SignIns } from '@srv/lib-auth';
import { createAccountService } from '../src/server/accounts.js';
import { describeRecord } from '../src/server/describe-record.js';
import { Directory } from '../src/server/directory/directory.js';
import { decodeUser, encodeUser } from '../src/server/storage/records.js';
import { createSecretBox } from '../src/server/storage/secrets.js';

async function setUp(mode: 'none' | 'internal' = 'internal') {
  const kv = new MemoryKvStore();
  const cache = { enabled: true, size: 100, ttl: 60_000, jitter: 0 };
  const directory = new Directory({ kv, box: createSecretBox('k'), mode, cacheOf: () => cache });
  const sessions = new Sessions({ kv, partition: 'auth', directory, secretKey: 'k', cache, duration: 1e6, maxDuration: 1e6 });
  const signIns = new SignIns(directory, new LoginLimits(), cache, () => undefined);
  return { kv, directory, sessions, accounts: createAccountService({ kv, directory, sessions, signIns, mode, secretKey: 'k' }) };
}

describe('accounts', () => {
  it('are found by address and by their name elsewhere', async () => {
    const { accounts, directory } = await setUp();
    await accounts.createAccount({ username: 'ann', email: 'Ann@Example.com', externalId: 'https://id.example/ann%2F', source: 'oidc' });
    const found = await accounts.findByExternalId('https://id.example/ann%2F');
    assert.deepEqual([found?.username, found?.source, found?.externalId], ['ann', 'oidc', 'https://id.example/ann%2F']);
    assert.equal((await accounts.findByEmail('ann@example.COM'))?.username, 'ann');
    for (const id of ['ann', '', '/', 'https://id.example/ann']) assert.equal(await accounts.findByExternalId(id), undefined, id);
    await assert.rejects(accounts.createAccount({ username: 'other', externalId: 'https://id.example/ann%2F' }), { code: 'not_unique' });
    await assert.rejects(accounts.createAccount({ username: 'other', email: 'ann@example.com' }), { code: 'not_unique' });
    await directory.deleteUser('ann');
    assert.equal(await accounts.findByEmail('ann@example.com'), undefined);
    await accounts.createAccount({ username: 'other', email: 'ann@example.com', externalId: 'https://id.example/ann%2F' });
    assert.equal((await accounts.findByEmail('ann@example.com'))?.username, 'other');
  });

  it('have names that new users can have; older ones are read and deleted all the same', async () => {
    const { accounts, directory, kv } = await setUp();
    for (const username of ['pct%41', 'ctl\u0001\n', 'x'.repeat(200_000), '.', '..'])
      for (const externalId of [undefined, 'e-1'])
        await assert.rejects(accounts.createAccount({ username, externalId }), { code: 'invalid' }, username.slice(0, 10));
    const long = 'e'.repeat(513);
    await accounts.createAccount({ username: 'bob' });
    for (const facts of [{ externalId: long }, { email: long }]) {
      await assert.rejects(accounts.createAccount({ username: 'ann', ...facts }), { code: 'invalid', message: /513 bytes, allowed: 512/ });
      await assert.rejects(directory.reassignUser('bob', facts), { code: 'invalid' });
    }
    await accounts.createAccount({ username: 'ann' });
    const record = (await kv.get('auth', Buffer.from('users/ann')))?.value ?? Buffer.alloc(0);
    const username = '%\u0001';
    await kv.set('auth', Buffer.from(`users/${username}`), encodeUser({ ...decodeUser(record), username }));
    assert.equal((await directory.findUser(username))?.username, username);
    await directory.reassignUser(username, { email: 'old@example.com' });
    await directory.deleteUser(username);
    assert.equal(await accounts.findAccount(username), undefined);
  });

  it('of databases without the way back are found by their names', async () => {
    const { accounts, kv } = await setUp();
    await accounts.createAccount({ username: 'ann@example.com', email: 'ann@example.com', externalId: 'ann@example.com' });
    await kv.delete('auth', Buffer.from('userEmails/ann@example.com'));
    await kv.delete('auth', Buffer.from('externalIds/ann@example.com'));
    assert.equal((await accounts.findByEmail('Ann@example.com'))?.username, 'ann@example.com');
    assert.equal((await accounts.findByExternalId('ann@example.com'))?.username, 'ann@example.com');
  });

  it('end their sessions with a new password', async () => {
    for (const mode of ['none', 'internal'] as const) {
      const { accounts, sessions } = await setUp(mode);
      await accounts.createAccount({ username: 'ann' });
      const { token } = await sessions.issue('ann');
      await accounts.setPassword('ann', '$2b$10$hash');
      assert.equal((await accounts.findAccount('ann'))?.encryptedPassword, '$2b$10$hash');
      assert.equal(await sessions.userOf(token), undefined);
    }
  });

  it('show a new friendly name at once', async () => {
    const { accounts, directory } = await setUp();
    await accounts.createAccount({ username: 'ann', friendlyName: 'Ann' });
    assert.equal((await directory.findUser('ann'))?.friendlyName, 'Ann');
    await accounts.setFriendlyName('ann', 'Annabel');
    assert.equal((await directory.findUser('ann'))?.friendlyName, 'Annabel');
    await assert.rejects(accounts.setFriendlyName('nobody', 'x'), { code: 'not_found', message: 'user not found' });
  });

  it('hand out tokens that work once, and remember them no longer than needed', async () => {
    const { accounts, kv } = await setUp();
    const token = accounts.readPurposeToken('p', accounts.issuePurposeToken('p', 'ann', 60_000));
    assert.ok(token);
    const claims = await Promise.all([1, 2, 3].map(() => accounts.claimToken(token.id, token.expiresAt)));
    assert.deepEqual(
      claims.filter(claimed => claimed),
      [true],
    );
    assert.equal(await accounts.claimToken('old', new Date(Date.now() - 1)), false);
    await accounts.claimToken('0short', new Date(Date.now() + 20));
    await new Promise(resolve => setTimeout(resolve, 30));
    await accounts.claimToken('another', new Date(Date.now() + 60_000));
    const left: string[] = [];
    for await (const page of kv.scan('auth', { start: Buffer.from('expiredTokens/') }))
      left.push(...page.map(({ key }) => key.toString()).filter(key => key.startsWith('expiredTokens/')));
    assert.deepEqual(
      left.filter(key => key.includes('short')),
      [],
    );
    assert.equal(left.length, 2);
  });

  it('stand for principals elsewhere, each for one user', async () => {
    const { accounts, directory } = await setUp();
    const arns = ['arn:aws:iam::1:role/reader', 'arn:aws:iam::1:role/writer', 'arn:aws:sts::1:assumed-role/a/b%2F'];
    for (const username of ['ann', 'bob']) await accounts.createAccount({ username });
    for (const arn of arns) await accounts.createPrincipal('ann', arn);
    await assert.rejects(accounts.createPrincipal('bob', arns[0] ?? ''), { code: 'not_unique', message: 'Already exists' });
    await assert.rejects(accounts.createPrincipal('nobody', 'x'), { code: 'not_found' });
    await assert.rejects(accounts.deletePrincipal('bob', arns[0] ?? ''), { code: 'not_found' });
    assert.deepEqual(await accounts.findPrincipal(arns[2] ?? ''), { id: arns[2], username: 'ann' });
    const first = await accounts.listPrincipals('ann', { amount: 2 });
    const rest = await accounts.listPrincipals('ann', { amount: 2, after: first.nextOffset });
    assert.deepEqual(
      [...first.results, ...rest.results].map(({ id }) => id),
      arns,
    );
    await accounts.deletePrincipal('ann', arns[0] ?? '');
    assert.equal(await accounts.findPrincipal(arns[0] ?? ''), undefined);
    await directory.deleteUser('ann');
    assert.equal(await accounts.findPrincipal(arns[1] ?? ''), undefined);
    await accounts.createPrincipal('bob', arns[1] ?? '');
  });

  it('have no principals where everybody may do everything', async () => {
    const { accounts } = await setUp('none');
    await assert.rejects(accounts.findPrincipal('x'), { code: 'unsupported', message: 'Not Implemented' });
  });

  it('are shown to operators without passwords', async () => {
    const { accounts, kv } = await setUp();
    await accounts.createAccount({ username: 'ann', encryptedPassword: '$2b$hash', externalId: 'e', email: 'a@b' });
    await accounts.createPrincipal('ann', 'p/q');
    const token = accounts.readPurposeToken('p', accounts.issuePurposeToken('p', 'ann', 60_000));
    await accounts.claimToken(token?.id ?? '', token?.expiresAt ?? new Date());
    let shown = '';
    for await (const page of kv.scan('auth'))
      for (const entry of page) shown += `${JSON.stringify(describeRecord('auth', entry) ?? assert.fail(entry.key.toString()))}\n`;
    assert.doesNotMatch(shown, /hash/);
    assert.match(shown, /"users\/ann"/);
  });
});
