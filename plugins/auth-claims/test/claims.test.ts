/** The table of claims: both kinds of cookie, on whole servers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definePlugin } from '@srv/kernel';
import { signClaims, signLogin } from '@srv/lib-auth';
import { claimedGroups, identify } from '@srv/lib-auth/claims';
import { startSrv } from '@srv/test-servers';
import { providerKeys } from '../src/server/provider-keys.js';
import type { TestContext } from 'node:test';
import type { Logger } from '@srv/kernel';
import type { RunningSrv } from '@srv/test-servers';

const secretKey = 'another secret for tests';
const soon = (seconds = 600): number => Math.floor(Date.now() / 1000) + seconds;

interface Kind {
  readonly prefix: string;
  readonly cookie: string;
  readonly member: string;
  readonly id: string;
  readonly source: string;
  readonly config: Readonly<Record<string, unknown>>;
}

const kinds: readonly Kind[] = [
  { prefix: 'auth.oidc.', cookie: 'oidc_auth_session', member: 'id_token_claims', id: 'sub', source: 'oidc', config: {} },
  {
    prefix: 'auth.cookie_auth_verification.',
    cookie: 'saml_auth_session',
    member: 'saml_token_claims',
    id: 'uid',
    source: 'corporate',
    config: {
      'auth.cookie_auth_verification.external_user_id_claim_name': 'uid',
      'auth.cookie_auth_verification.auth_source': 'corporate',
    },
  },
];

async function setUp(t: TestContext, kind: Kind, settings: Record<string, unknown> = {}) {
  const named = Object.fromEntries(Object.entries(settings).map(([name, value]) => [`${kind.prefix}${name}`, value]));
  const srv = await startSrv({ plugins: ['auth-claims'], config: { 'auth.ui_config.rbac': 'internal', ...kind.config, ...named } });
  t.after(() => srv.stop());
  const cookieOf = (claims: unknown, changes: Record<string, unknown> = {}, key = secretKey): string =>
    `${kind.cookie}=${signClaims({ aud: kind.cookie, exp: soon(), [kind.member]: claims, ...changes }, key)}`;
  return { srv, cookieOf, ask: (cookie: string, init: RequestInit = {}) => ask(srv, cookie, init) };
}

async function ask(srv: RunningSrv, cookie: string, init: RequestInit, path = '/user') {
  const response = await fetch(`${srv.url}/api/v1${path}`, { ...init, headers: { cookie, ...init.headers } });
  const { user, message } = (await response.json()) as { user?: { id: string; friendly_name: string }; message?: string };
  return { status: response.status, user, message };
}

const groupsOf = async (srv: RunningSrv, name: string): Promise<string[]> =>
  (await srv.kernel.services.get('auth').listUserGroups(name)).results.map(({ id }) => id);

for (const kind of kinds) {
  describe(`claims in the cookie ${kind.cookie}`, () => {
    it('are a user, at the first request and at the next', async t => {
      const {
        srv,
        ask: call,
        cookieOf,
      } = await setUp(t, kind, { default_initial_groups: 'Viewers', friendly_name_claim_name: 'nick,name' });
      const cookie = cookieOf({ [kind.id]: 'ann', name: 'Ann' });
      const all = await Promise.all(Array.from({ length: 5 }, () => call(cookie)));
      for (const { status, user } of all) assert.deepEqual([status, user?.id, user?.friendly_name], [200, 'ann', 'Ann']);
      const account = await srv.kernel.services.get('accounts').findAccount('ann');
      assert.deepEqual([account?.source, account?.externalId, account?.friendlyName], [kind.source, 'ann', undefined]);
      assert.deepEqual(await groupsOf(srv, 'ann'), ['Viewers']);
      assert.equal((await call(cookieOf({ [kind.id]: 'ann', nick: 'Annie', name: 'Ann' }))).user?.friendly_name, 'Annie');
      assert.equal((await call(cookieOf({ [kind.id]: 'ann' }))).user?.friendly_name, 'ann');
    });

    it('allow logins from a terminal that end with them', async t => {
      const { srv, cookieOf } = await setUp(t, kind);
      const exp = soon(60);
      const api = (path: string, headers: Record<string, string> = {}) =>
        fetch(`${srv.url}/api/v1/auth/get-token/${path}`, { redirect: 'manual', headers });
      const started = await api('start');
      const request = new URL(started.headers.get('location') ?? '', srv.url).searchParams.get('request') ?? '';
      const headers = { cookie: cookieOf({ [kind.id]: 'ann' }, { exp }), 'x-srv-confirm': 'login' };
      assert.equal((await api(`release-token/${request}`, headers)).status, 204);
      const collected = await api(`mailboxes/${started.headers.get('x-lakefs-mailbox') ?? ''}`);
      assert.equal(((await collected.json()) as { token_expiration: number }).token_expiration, exp);
    });

    it('store a name when that is asked for', async t => {
      const { srv, ask: call, cookieOf } = await setUp(t, kind, { friendly_name_claim_name: 'name', persist_friendly_name: 'true' });
      const stored = async () => (await srv.kernel.services.get('accounts').findAccount('ann'))?.friendlyName;
      await call(cookieOf({ [kind.id]: 'ann', name: 'Ann' }));
      assert.equal(await stored(), 'Ann');
      await call(cookieOf({ [kind.id]: 'ann', name: 'Annabel' }));
      assert.equal(await stored(), 'Annabel');
      await call(cookieOf({ [kind.id]: 'ann', name: 7 }));
      assert.equal(await stored(), 'Annabel');
    });

    it('give groups once, by claim before default', async t => {
      const { srv, ask: call, cookieOf } = await setUp(t, kind, { default_initial_groups: 'Viewers', initial_groups_claim_name: 'roles' });
      const cases: [name: string, roles: unknown, groups: string[]][] = [
        ['absent', undefined, ['Viewers']],
        ['text', ' Developers ,,NoSuchGroup, SuperUsers', ['Developers', 'SuperUsers']],
        ['list', ['Developers'], ['Developers']],
        ['empty', [], []],
        ['number', 7, []],
      ];
      for (const [name, roles, groups] of cases) {
        assert.equal((await call(cookieOf({ [kind.id]: name, ...(roles === undefined ? {} : { roles }) }))).status, 200);
        assert.deepEqual(await groupsOf(srv, name), groups, name);
      }
      assert.equal((await call(cookieOf({ [kind.id]: 'mixed', roles: ['Developers', 7] }))).status, 401);
      assert.equal(await srv.kernel.services.get('accounts').findAccount('mixed'), undefined);
      await call(cookieOf({ [kind.id]: 'list', roles: ['Admins'] }));
      assert.deepEqual(await groupsOf(srv, 'list'), ['Developers'], 'never again');
    });

    it('must say what is demanded, at every request', async t => {
      const { ask: call, cookieOf } = await setUp(t, kind, { validate_id_token_claims: 'department=sales,active=true' });
      const good = { [kind.id]: 'ann', department: 'sales', active: 'true' };
      assert.equal((await call(cookieOf(good))).status, 200);
      for (const change of [
        { department: 'Sales' },
        { department: ['sales'] },
        { active: true },
        { department: undefined },
        { [kind.id]: 7 },
        { [kind.id]: '' },
        { [kind.id]: undefined },
      ])
        assert.equal((await call(cookieOf({ ...good, ...change }))).status, 401, JSON.stringify(change));
    });

    it('that were tampered with, are old, or made for something else are refused, with the text clients compare', async t => {
      const { srv, ask: call, cookieOf } = await setUp(t, kind);
      const claims = { [kind.id]: 'admin' };
      const login = signLogin({ username: 'admin', epoch: 0 }, secretKey, new Date(), new Date(Date.now() + 60_000));
      const wrong = [
        cookieOf(claims, {}, 'another key'),
        cookieOf(claims, { exp: soon(-1) }),
        cookieOf(claims, { exp: undefined }),
        cookieOf(claims, { aud: 'login' }),
        cookieOf(claims, { aud: [kind.cookie] }),
        cookieOf('admin'),
        cookieOf(null),
        cookieOf(['sub']),
        `${kind.cookie}=nonsense`,
        `${kind.cookie}=${login}`,
        `${cookieOf(claims)}x`,
      ];
      for (const cookie of wrong) {
        const { status, message } = await call(cookie);
        assert.deepEqual([status, message], [401, 'error authenticating request'], cookie);
      }
      assert.deepEqual([(await call(`${kind.cookie}=`)).status, (await call('')).user?.id], [200, '']);
      assert.equal(
        (await fetch(`${srv.url}/api/v1/setup_lakefs`, { headers: { cookie: wrong[0] ?? '' } })).status,
        200,
        'public operations do not look',
      );
      const token = signClaims({ aud: kind.cookie, exp: soon(), [kind.member]: claims, sub: 'admin' }, secretKey);
      assert.equal((await call('', { headers: { authorization: `Bearer ${token}` } })).status, 401, 'no login token');
    });

    it('never become a user of another identity provider, or one that cannot exist', async t => {
      const { srv, ask: call, cookieOf } = await setUp(t, kind);
      for (const name of ['admin', 'a/b', '50%', 'constructor/..', 'a\u0001', '..', 'x'.repeat(513)])
        assert.equal((await call(cookieOf({ [kind.id]: name }))).status, 401, name);
      assert.equal((await call(cookieOf({ [kind.id]: '__proto__' }))).user?.id, '__proto__');
      const accounts = srv.kernel.services.get('accounts');
      await accounts.createAccount({ username: 'known', externalId: 'elsewhere' });
      assert.equal((await call(cookieOf({ [kind.id]: 'elsewhere' }))).user?.id, 'known');
      assert.equal((await call(cookieOf({ [kind.id]: 'known' }))).status, 401);
    });

    it('follow their user to another name', async t => {
      const { srv, ask: call, cookieOf } = await setUp(t, kind);
      const [accounts, auth] = [srv.kernel.services.get('accounts'), srv.kernel.services.get('auth')];
      const cookie = cookieOf({ [kind.id]: 'elsewhere' });
      await accounts.createAccount({ username: 'ann', externalId: 'elsewhere' });
      assert.equal((await call(cookie)).user?.id, 'ann');
      await auth.deleteUser('ann');
      await accounts.createAccount({ username: 'anna', externalId: 'elsewhere' });
      assert.equal((await call(cookie)).user?.id, 'anna');
    });

    it('end with the user, and do not count when another site writes', async t => {
      const { srv, ask: call, cookieOf } = await setUp(t, kind, { default_initial_groups: 'Admins' });
      const cookie = cookieOf({ [kind.id]: 'ann' });
      const create = (site: string) =>
        fetch(`${srv.url}/api/v1/auth/users`, {
          method: 'POST',
          headers: { cookie, 'sec-fetch-site': site, 'content-type': 'application/json' },
          body: JSON.stringify({ id: `by-${site}` }),
        });
      assert.deepEqual([(await create('cross-site')).status, (await create('same-origin')).status], [401, 201]);
      await srv.kernel.services.get('auth').deleteUser('ann');
      assert.equal((await call(cookie)).user?.id, 'ann', 'the identity provider still vouches: a new user');
      assert.equal((await srv.kernel.services.get('auth').listCredentials('ann')).results.length, 0);
      const { headers } = await fetch(`${srv.url}/logout`, { redirect: 'manual', headers: { cookie } });
      assert.ok(headers.getSetCookie().some(line => line.startsWith(`${kind.cookie}=; `)));
    });
  });
}

describe('cookies of helpers', () => {
  it('are not looked at without the name of the claim with the ID', async t => {
    const srv = await startSrv({ plugins: ['auth-claims'] });
    t.after(() => srv.stop());
    assert.deepEqual((await ask(srv, 'saml_auth_session=nonsense', {})).user?.id, '');
  });
});

describe('rules of claims', () => {
  const rules = { idClaim: 'sub', validate: {}, defaultGroups: [], groupClaims: [], nameClaims: ['name'] };

  it('ignore the built-in properties of objects', () => {
    assert.throws(() => identify({}, { ...rules, idClaim: 'constructor' }), { code: 'unauthenticated' });
    assert.throws(() => identify({ sub: 'a' }, { ...rules, validate: { toString: 'x' } }), { code: 'unauthenticated' });
    assert.deepEqual(identify({ sub: 'a', name: '' }, rules), { externalId: 'a', friendlyName: undefined, email: undefined });
    assert.equal(claimedGroups({}, ['valueOf']), undefined);
  });
});

describe('the configuration of a login', () => {
  it('with more than one provider is warned of, with the keys: their user IDs are one space', async t => {
    const claim = { 'auth.cookie_auth_verification.external_user_id_claim_name': 'uid' };
    const jwt = { 'auth.jwt.jwks_url': 'https://id.example/keys', 'auth.jwt.issuer': 'https://id.example', 'auth.jwt.audience': 'srv' };
    const oidc = {
      'auth.oidc.issuer': 'https://id.example',
      'auth.oidc.client_id': 'x',
      'auth.oidc.callback_base_url': 'https://here',
    };
    const cases: [config: Record<string, unknown>, keys: readonly string[] | undefined][] = [
      [claim, undefined],
      [{ ...oidc, ...jwt }, undefined],
      [{ ...oidc, ...jwt, 'auth.jwt.issuer': 'https://other.example' }, ['auth.oidc.issuer', 'auth.jwt.issuer']],
      [{ ...jwt, ...claim }, ['auth.jwt.issuer', 'auth.cookie_auth_verification.external_user_id_claim_name']],
    ];
    for (const [config, keys] of cases) {
      const warned: unknown[] = [];
      const quiet = (): void => {};
      const warn = (fields: object, message: string): void => {
        if (message.startsWith('user IDs of all identity providers are one space')) warned.push(fields);
      };
      const log = { debug: quiet, info: quiet, warn, error: quiet, child: () => log } as unknown as Logger;
      const recorder = definePlugin({
        name: 'recorder',
        apply: ({ hooks, services }) => hooks.configured.tapPromise('recorder', async () => services.provide('log', log)),
      });
      const srv = await startSrv({ plugins: ['auth-claims'], inline: [{ plugin: recorder }], config });
      t.after(() => srv.stop());
      assert.deepEqual(warned, keys === undefined ? [] : [{ keys }]);
    }
    const shown = [{ key: 'auth.saml.entry_point', value: 'https://idp.example' }];
    assert.deepEqual(providerKeys({ ...jwt }, shown), ['auth.jwt.issuer', 'auth.saml.entry_point']);
  });

  it('says what is missing or unsafe', async () => {
    const wrong: [Record<string, unknown>, RegExp][] = [
      [{ 'auth.oidc.issuer': 'https://id.example' }, /auth\.oidc\.client_id: missing required key/],
      [
        { 'auth.oidc.issuer': 'http://id.example', 'auth.oidc.client_id': 'x', 'auth.oidc.callback_base_url': 'https://here' },
        /is not an https:\/\/ address/,
      ],
      [
        { 'auth.oidc.issuer': 'https://u:hush@id.example', 'auth.oidc.client_id': 'x', 'auth.oidc.callback_base_url': 'https://here' },
        /auth\.oidc\.issuer: "https:\/\/\*{6}@id\.example" is not an https:\/\/ address .* without user and password/,
      ],
      [
        { 'auth.oidc.issuer': 'https://id.example', 'auth.oidc.client_id': 'x', 'auth.oidc.callback_base_url': 'https://u:hush@here' },
        /auth\.oidc\.callback_base_url: "https:\/\/\*{6}@here" is not an http/,
      ],
      [
        { 'auth.jwt.jwks_url': 'https://u:hush@id.example/keys', 'auth.jwt.issuer': 'x', 'auth.jwt.audience': 'y' },
        /auth\.jwt\.jwks_url: "https:\/\/\*{6}@id\.example\/keys" is not an https/,
      ],
      [
        {
          'auth.oidc.issuer': 'https://id.example',
          'auth.oidc.client_id': 'x',
          'auth.oidc.callback_base_url': 'https://here',
          'auth.oidc.sync_groups': true,
        },
        /needs auth\.oidc\.initial_groups_claim_name/,
      ],
    ];
    for (const [config, problem] of wrong) await assert.rejects(startSrv({ plugins: ['auth-claims'], config }), problem);
  });
});
