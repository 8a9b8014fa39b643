import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { isSrvError } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import {
  LoginLimits,
  Sessions,
  SignIns,
  createIdentity,
  purposeTokens,
  signLogin,
  signPurposeToken,
  verifyPurposeToken,
} from '../src/index.js';
import type { OwnedKey, SignIn, UserDirectory } from '../src/index.js';

const cache = { enabled: true, size: 100, ttl: 60_000, jitter: 0 };

function setUp({ kv = new MemoryKvStore(), ttl = 60_000, enabled = true } = {}) {
  const users = new Map([
    ['ann', new Date(0)],
    ['bob', new Date(0)],
  ]);
  const keys = new Map<string, OwnedKey>([['AK', { accessKeyId: 'AK', secretAccessKey: 'secret', username: 'ann' }]]);
  const directory: UserDirectory = {
    async findUser(username) {
      const createdAt = users.get(username);
      return createdAt && { username, createdAt };
    },
    findAccessKey: async id => keys.get(id),
    effectivePolicies: async () => [],
  };
  const parts = { kv, partition: 'auth', directory, secretKey: 'k', duration: 3_600_000, maxDuration: 7_200_000 };
  const sessions = new Sessions({ ...parts, cache: { ...cache, ttl } });
  const providers: SignIn[] = [];
  const signIns = new SignIns(directory, new LoginLimits(), { ...cache, enabled }, add => providers.forEach(add));
  const addSignIn = (provider: SignIn): void => void providers.push(provider);
  const session = { cookieDomain: '', logoutRedirectUrl: '/' };
  const identity = createIdentity({ directory, sessions, signIns, rbac: 'internal', session, installationId: 'x' });
  return { kv, users, keys, sessions, signIns, addSignIn, identity };
}

const readClaims = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Readonly<Record<string, unknown>>;

const pair = { accessKeyId: 'AK', secretAccessKey: 'secret' };

describe('sessions', () => {
  it('end for all tokens of a user at once, and for no other user', async () => {
    const { sessions } = setUp();
    const [ann, bob] = [(await sessions.issue('ann')).token, (await sessions.issue('bob')).token];
    await sessions.revoke('ann');
    assert.deepEqual([await sessions.userOf(ann), (await sessions.userOf(bob))?.username], [undefined, 'bob']);
    const { token } = await sessions.issue('ann');
    assert.equal((await sessions.userOf(token))?.username, 'ann');
  });

  it('end on other servers of the database, too, within the time of the cache', async () => {
    const here = setUp();
    const there = setUp({ kv: here.kv, ttl: 0 });
    const { token } = await there.sessions.issue('ann');
    assert.equal((await there.sessions.userOf(token))?.username, 'ann');
    await here.sessions.revoke('ann');
    assert.equal(await there.sessions.userOf(token), undefined);
  });

  it('begun at a server that has not noticed yet that earlier ones were ended are valid, at every server', async () => {
    const kv = new MemoryKvStore();
    const [here, there, third] = [setUp({ kv }), setUp({ kv }), setUp({ kv })];
    const old = (await there.sessions.issue('ann')).token;
    for (const { sessions } of [there, third]) assert.equal((await sessions.userOf(old))?.username, 'ann');
    await here.sessions.revoke('ann');
    const { token } = await there.sessions.issue('ann');
    for (const { sessions } of [here, there, third]) {
      assert.equal((await sessions.userOf(token))?.username, 'ann');
      assert.equal(await sessions.userOf(old), undefined);
    }
  });

  it('that were ended do not begin again where a server that has not noticed it yet renews them', async () => {
    const kv = new MemoryKvStore();
    const [here, there] = [setUp({ kv }), setUp({ kv })];
    const { token } = await here.sessions.issue('ann');
    assert.equal((await there.sessions.userOf(token))?.username, 'ann');
    await here.sessions.revoke('ann');
    const renewed = (await there.sessions.renew(token))?.token ?? '';
    assert.equal(await here.sessions.userOf(renewed), undefined);
  });

  it('end with the access key they were made from', async () => {
    const { identity, keys } = setUp();
    const { token } = (await identity.logIn?.(pair)) ?? { token: '' };
    assert.equal((await identity.authenticate({ kind: 'token', token }))?.username, 'ann');
    keys.set('AK', { ...pair, username: 'bob' });
    assert.equal(await identity.authenticate({ kind: 'token', token }), undefined, 'the key now belongs to another user');
    keys.delete('AK');
    assert.equal(await identity.authenticate({ kind: 'token', token }), undefined);
  });

  it('that were limited when they began are not prolonged by renewals', async () => {
    const { sessions } = setUp();
    const endOf = (token: string) => (readClaims(token)['exp'] as number) * 1000;
    const renewed = async (token: string) => (await sessions.renew(token))?.token ?? assert.fail();
    const now = Date.now();
    const short = await sessions.issue('ann', { duration: 60_000, accessKeyId: 'AK' });
    assert.ok(endOf(short.token) > now + 58_000 && endOf(short.token) <= Date.now() + 60_000);
    const again = await renewed(await renewed(short.token));
    assert.equal(endOf(again), endOf(short.token));
    assert.equal(readClaims(again)['key'], 'AK');
    const endsAt = new Date(Math.floor(now / 1000 + 30) * 1000);
    const ending = await sessions.issue('ann', { endsAt });
    assert.deepEqual([ending.expiresAt, endOf(ending.token), endOf(await renewed(ending.token))], [endsAt, +endsAt, +endsAt]);
    // Two hours are the longest for one token, one hour is usual.
    const long = await sessions.issue('ann', { duration: 1e9 });
    assert.ok(endOf(long.token) > now + 7_198_000 && endOf(long.token) <= Date.now() + 7_200_000);
    assert.ok(endOf(await renewed(long.token)) > now + 3_598_000);
    for (const { token } of [await sessions.issue('ann'), await sessions.issue('ann', { duration: Number.MAX_SAFE_INTEGER * 1000 })])
      assert.ok(endOf(await renewed(await renewed(token))) > now + 3_598_000);
  });

  it('belong to the user they were made for, not to the next one of the name', async () => {
    const { sessions, users } = setUp();
    const { token } = await sessions.issue('ann');
    const older = signLogin({ username: 'ann', epoch: 0 }, 'k', new Date(), new Date(Date.now() + 60_000));
    users.set('ann', new Date(5000));
    assert.equal(await sessions.userOf(token), undefined);
    assert.equal(await sessions.renew(token), undefined);
    assert.equal((await sessions.userOf(older))?.username, 'ann', 'issued by an earlier version');
    users.delete('ann');
    await assert.rejects(sessions.issue('ann'), { code: 'unauthenticated' });
  });

  it('that are ended by many at once all end', async () => {
    const { sessions, users } = setUp();
    users.set('a/b', new Date(0));
    const { token } = await sessions.issue('a/b');
    await Promise.all([1, 2, 3, 4, 5].map(() => sessions.revoke('a/b')));
    assert.equal(await sessions.userOf(token), undefined);
  });
});

describe('ways to sign in', () => {
  it('are asked in turn for pairs that are not access keys, and not again after a success', async () => {
    const { identity, signIns, addSignIn, users } = setUp();
    const asked: string[] = [];
    addSignIn({ name: 'first', signIn: async ({ accessKeyId }) => void asked.push(`first ${accessKeyId}`) });
    addSignIn({
      name: 'second',
      async signIn({ accessKeyId, secretAccessKey }) {
        asked.push(`second ${accessKeyId}`);
        return secretAccessKey === 'pw' ? 'bob' : undefined;
      },
    });
    const signIn = async (accessKeyId: string, secretAccessKey: string) =>
      (await identity.authenticate({ kind: 'basic', accessKeyId, secretAccessKey, from: '192.0.2.1' }))?.username;
    assert.equal(await signIn('AK', 'secret'), 'ann');
    assert.equal(await signIn('AK', 'wrong'), undefined);
    assert.deepEqual(asked, [], 'the secret of an access key goes nowhere else');
    assert.equal(await signIn('robert', 'pw'), 'bob');
    assert.equal(await signIn('robert', 'pw'), 'bob');
    assert.deepEqual(asked, ['first robert', 'second robert']);
    assert.equal(await signIn('robert', 'no'), undefined);
    await signIns.forget();
    users.delete('bob');
    assert.equal(await signIn('robert', 'pw'), undefined, 'admitted elsewhere, unknown here');
  });

  it('that are out of order are a fault, unless another one admits', async () => {
    const { identity, addSignIn } = setUp();
    addSignIn({ name: 'broken', signIn: () => Promise.reject(new Error('no connection')) });
    addSignIn({ name: 'good', signIn: async ({ secretAccessKey }) => (secretAccessKey === 'pw' ? 'bob' : undefined) });
    assert.equal((await identity.authenticate({ kind: 'basic', accessKeyId: 'bob', secretAccessKey: 'pw' }))?.username, 'bob');
    await assert.rejects(identity.authenticate({ kind: 'basic', accessKeyId: 'bob', secretAccessKey: 'x' }), /no connection/);
  });

  it('are closed to callers who failed too often, while access keys work with every request', async () => {
    const { identity, addSignIn } = setUp();
    const from = '192.0.2.9';
    const guess = (accessKeyId: string) => identity.authenticate({ kind: 'basic', accessKeyId, secretAccessKey: 'guess', from });
    for (let n = 0; n < 20; n++) assert.equal(await guess('bob'), undefined, 'where there are no passwords, none can be guessed');
    addSignIn({ name: 'passwords', signIn: async () => undefined });
    for (let n = 0; n < 20; n++) assert.equal(await guess('AKIAJTHISISNOTTHEREQ'), undefined);
    for (let n = 0; n < 5; n++) assert.equal(await guess('bob'), undefined);
    await assert.rejects(guess('bob'), { code: 'too_many_tries' });
    const logIn = async (secretAccessKey: string) => identity.logIn?.({ ...pair, secretAccessKey }, from);
    for (let n = 0; n < 5; n++) await assert.rejects(logIn('guess'), { code: 'unauthenticated' });
    await assert.rejects(logIn('guess'), { code: 'too_many_tries' });
    assert.equal(await identity.authenticate({ kind: 'basic', ...pair, secretAccessKey: 'guess', from }), undefined);
    assert.equal((await identity.authenticate({ kind: 'basic', ...pair, from }))?.username, 'ann');
    await assert.rejects(logIn(pair.secretAccessKey), { code: 'too_many_tries' });
    assert.match((await identity.logIn?.(pair, '192.0.2.10'))?.token ?? '', /^ey/);
  });
});

describe('parallel guesses', () => {
  it('reach no provider more often than guesses one after the other', async () => {
    const { identity, addSignIn } = setUp();
    const asked: string[] = [];
    addSignIn({
      name: 'passwords',
      async signIn({ accessKeyId, secretAccessKey }) {
        asked.push(accessKeyId);
        await turn();
        return secretAccessKey === 'pw-99' ? accessKeyId : undefined;
      },
    });
    const guesses = Array.from({ length: 100 }, (_, n) => `pw-${n}`);
    const bySession = guesses.map(secretAccessKey => identity.logIn?.({ accessKeyId: 'ann', secretAccessKey }, '192.0.2.1'));
    const byRequest = guesses.map(secretAccessKey =>
      identity.authenticate({ kind: 'basic', accessKeyId: 'bob', secretAccessKey, from: '192.0.2.2' }),
    );
    const results = await Promise.allSettled([...bySession, ...byRequest]);
    assert.deepEqual(asked.toSorted(), ['ann', 'ann', 'ann', 'ann', 'ann', 'bob', 'bob', 'bob', 'bob', 'bob']);
    const refused = results.filter(result => result.status === 'rejected' && isSrvError(result.reason, 'too_many_tries'));
    assert.equal(refused.length, 190);
  });

  it('let all parallel requests with the right password in, whether it is kept or not', async () => {
    for (const enabled of [true, false]) {
      const { identity, addSignIn } = setUp({ enabled });
      addSignIn({ name: 'passwords', signIn: async ({ accessKeyId }) => turn(accessKeyId) });
      const from = '192.0.2.1';
      const requests = Array.from({ length: 100 }, () =>
        identity.authenticate({ kind: 'basic', accessKeyId: 'bob', secretAccessKey: 'pw', from }),
      );
      for (const user of await Promise.all(requests)) assert.equal(user?.username, 'bob');
    }
  });
});

describe('tokens for a purpose', () => {
  it('serve that purpose only, and never as a login', async () => {
    const { identity } = setUp();
    const now = new Date();
    const facts = { audience: 'invite_user', subject: 'ann', id: 'i', expiresAt: new Date(Math.floor(now.getTime() / 1000 + 60) * 1000) };
    const token = signPurposeToken(facts, 'k', now);
    assert.deepEqual(verifyPurposeToken(token, 'invite_user', 'k', now), facts);
    assert.equal(verifyPurposeToken(token, 'reset_password', 'k', now), undefined);
    const tokens = purposeTokens('k');
    const dependent = tokens.issuePurposeToken('p', 'ann', 60_000, 'a hash');
    assert.deepEqual(
      ['a hash', 'another'].map(state => tokens.readPurposeToken('p', dependent)?.isOf(state)),
      [true, false],
    );
    assert.doesNotMatch(Buffer.from(dependent.split('.')[1] ?? '', 'base64url').toString(), /hash/);
    assert.equal(tokens.readPurposeToken('p', tokens.issuePurposeToken('p', 'ann', 60_000))?.isOf('any'), true);
    assert.equal(verifyPurposeToken(token, 'invite_user', 'other', now), undefined);
    assert.equal(verifyPurposeToken(token, 'invite_user', 'k', new Date(now.getTime() + 61_000)), undefined);
    assert.equal(await identity.authenticate({ kind: 'token', token }), undefined);
  });
});
