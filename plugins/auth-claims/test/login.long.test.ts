/** The login in the browser, at a real OpenID provider. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sessionCookieName } from '@srv/lib-api';
import { ScriptedHttp, freePort, startSrv } from '@srv/test-servers';
import { Browser, startOidc } from '@srv/test-servers/oidc';
import type { RunningSrv } from '@srv/test-servers';
import type { OidcServer } from '@srv/test-servers/oidc';

let provider: OidcServer;
let srv: RunningSrv;
const people: Record<string, Record<string, unknown>> = {
  ann: { name: 'Ann', department: 'sales', groups: ['Developers', 'NoSuchGroup'] },
  bob: { name: 'Bob', department: 'sales' },
  eve: { name: 'Eve', department: 'other' },
  odd: { department: 'sales', groups: [7] },
};

const configOf = (base: string): Record<string, unknown> => ({
  listen_address: base.replace('http://', ''),
  'auth.ui_config.rbac': 'internal',
  'auth.oidc.issuer': provider.issuer,
  'auth.oidc.client_id': provider.clientId,
  'auth.oidc.client_secret': provider.clientSecret,
  'auth.oidc.callback_base_url': base,
  'auth.oidc.validate_id_token_claims': 'department=sales',
  'auth.oidc.default_initial_groups': 'Viewers',
  'auth.oidc.initial_groups_claim_name': 'groups',
  'auth.oidc.friendly_name_claim_name': 'name',
  'auth.oidc.persist_friendly_name': true,
});

before(async () => {
  const base = `http://127.0.0.1:${await freePort()}`;
  provider = await startOidc({ redirectUri: `${base}/oidc/callback`, afterLogout: `${base}/`, people });
  srv = await startSrv({ plugins: ['auth-claims'], config: configOf(base) });
});
after(async () => {
  await provider.close();
  await srv.stop();
});

const isHome = (url: string): boolean => url.startsWith(srv.url) && !url.includes('/oidc/');
const isCallback = (url: string): boolean => url.startsWith(`${srv.url}/oidc/callback`);

async function logIn(login: string, next = ''): Promise<{ browser: Browser; at: string }> {
  const browser = new Browser();
  const at = await browser.walk(`${srv.url}/oidc/login${next && `?next=${encodeURIComponent(next)}`}`, login, isHome);
  return { browser, at };
}

async function whoIs(browser: Browser): Promise<{ id: string; friendly_name?: string }> {
  const { text } = await browser.visit(`${srv.url}/api/v1/user`);
  return (JSON.parse(text) as { user: { id: string } }).user;
}

/** Takes a login to the point where the provider sends the browser back. */
async function comeBack(login: string | undefined): Promise<{ browser: Browser; callback: string }> {
  const browser = new Browser();
  return { browser, callback: await browser.walk(`${srv.url}/oidc/login`, login, isCallback) };
}

/** Name of the session's cookie. */
const session = (): string => sessionCookieName(srv.kernel.services.get('identity').installationId);
const groupsOf = async (name: string): Promise<string[]> =>
  (await srv.kernel.services.get('auth').listUserGroups(name)).results.map(({ id }) => id);

describe('a login at the provider', () => {
  it('creates a user at the first login, with name and groups, and a session', async () => {
    const { browser, at } = await logIn('ann', '/repositories?x=1');
    assert.equal(at, `${srv.url}/repositories?x=1`);
    const { id, friendly_name: name } = await whoIs(browser);
    assert.deepEqual([id, name, await groupsOf('ann')], ['ann', 'Ann', ['Developers']]);
    const account = await srv.kernel.services.get('accounts').findAccount('ann');
    assert.deepEqual([account?.source, account?.externalId], ['oidc', 'ann']);
    assert.equal((await browser.visit(`${srv.url}/api/v1/repositories`)).status, 200);
    const { browser: bob } = await logIn('bob');
    assert.deepEqual([(await whoIs(bob)).id, await groupsOf('bob')], ['bob', ['Viewers']]);
    assert.deepEqual([...browser.cookies(srv.url).keys()].toSorted(), [session(), 'oidc_id_token']);
  });

  it('follows a changed name, and leaves groups as administrators made them', async () => {
    const auth = srv.kernel.services.get('auth');
    await auth.removeMember('Developers', 'ann');
    await auth.addMember('SuperUsers', 'ann');
    people['ann'] = { ...people['ann'], name: 'Annabel' };
    await logIn('ann');
    assert.deepEqual([(await auth.getUser('ann')).friendlyName, await groupsOf('ann')], ['Annabel', ['SuperUsers']]);
  });

  it('is refused without the required claims, and creates no user', async () => {
    for (const login of ['eve', 'odd']) {
      const { browser, callback } = await comeBack(login);
      assert.equal((await browser.visit(callback)).status, 401);
      assert.equal(browser.cookies(srv.url).has(session()), false);
      assert.equal(await srv.kernel.services.get('accounts').findAccount(`${login}`), undefined);
    }
  });

  it('is refused when the user refuses', async () => {
    const { browser, callback } = await comeBack(undefined);
    assert.match(callback, /error=access_denied/);
    assert.equal((await browser.visit(callback)).status, 401);
  });

  it('ends here and at the provider by logout, and the session can be taken back', async () => {
    const { browser } = await logIn('bob');
    const token = browser.cookies(srv.url).get(session()) ?? '';
    await browser.walk(`${srv.url}/oidc/logout`, 'bob', isHome);
    assert.deepEqual([[...browser.cookies(srv.url).keys()], (await whoIs(browser)).id], [[], '']);
    // The provider has forgotten the user, too: it asks who it is.
    const { location = '' } = await browser.visit(`${srv.url}/oidc/login`);
    assert.match((await browser.visit(location)).location ?? '', /\/interaction\//);
    browser.set(srv.url, session(), token);
    assert.equal((await whoIs(browser)).id, 'bob');
    await srv.kernel.services.get('auth').revokeSessions('bob');
    assert.equal((await browser.visit(`${srv.url}/api/v1/user`)).status, 401);
  });

  it('leads to places of this server only', async () => {
    for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '/a\r\nSet-Cookie: x=y'])
      assert.equal((await logIn('bob', next)).at, `${srv.url}/`);
  });

  it('shows pages where it is', async () => {
    const { login_config: links } = (await (await fetch(`${srv.url}/api/v1/setup_lakefs`)).json()) as {
      login_config: Record<string, string>;
    };
    assert.deepEqual([links['login_url'], links['login_url_method'], links['logout_url']], ['/oidc/login', 'select', '/oidc/logout']);
    assert.deepEqual([links['fallback_login_url'], links['fallback_login_label']], ['/oidc/login', 'Log in with single sign-on']);
  });
});

describe('an answer of the provider', () => {
  it('counts once, in the browser that asked for it, and unchanged', async () => {
    const { browser, callback } = await comeBack('bob');
    const altered = (change: (query: URLSearchParams) => void): string => {
      const url = new URL(callback);
      change(url.searchParams);
      return url.href;
    };
    assert.equal((await new Browser().visit(callback)).status, 401, 'another browser');
    assert.equal((await browser.visit(altered(query => query.set('state', 'other')))).status, 401);
    assert.equal((await browser.visit(altered(query => query.delete('state')))).status, 401);
    assert.equal((await browser.visit(altered(query => query.set('iss', 'https://other.example')))).status, 401);
    const other = await comeBack('ann');
    const swapped = altered(query => query.set('code', new URL(other.callback).searchParams.get('code') ?? ''));
    assert.equal((await browser.visit(swapped)).status, 401, 'a code made for another browser');
    const kept = browser.cookies(srv.url).get('oidc_login') ?? '';
    const again = await comeBack('bob');
    assert.equal((await again.browser.visit(again.callback)).status, 303);
    assert.equal((await again.browser.visit(again.callback)).status, 401, 'used');
    browser.set(srv.url, 'oidc_login', kept.replace(/\.[^.]+$/, '.AAAA'));
    assert.equal((await browser.visit(callback)).status, 401, 'a forged attempt');
    assert.equal((await browser.visit(`${srv.url}/oidc/callback`)).status, 401);
  });
});

describe('a provider', () => {
  it('that is down is a fault until it is back, and a logout works without it', async t => {
    const base = `http://127.0.0.1:${await freePort()}`;
    await provider.stop();
    const other = await startSrv({ plugins: ['auth-claims'], config: configOf(base) });
    t.after(() => other.stop());
    const browser = new Browser();
    assert.equal((await browser.visit(`${base}/oidc/login`)).status, 503);
    assert.equal((await browser.visit(`${base}/oidc/logout`)).location, `${base}/auth/login`);
    await provider.start();
    assert.equal((await browser.visit(`${base}/oidc/login`)).status, 302);
  });

  it('that lies about itself, is broken or silent admits no user', async t => {
    const document = (issuer: string, jwks: string) => ({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: jwks,
      response_types_supported: ['code'],
    });
    let discovery: (url: string) => string | undefined = () => '<html>';
    const fake = await ScriptedHttp.open((request, response) => {
      const answer = discovery(request.url ?? '');
      if (answer !== undefined) response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    });
    t.after(() => fake.close());
    const base = `http://127.0.0.1:${await freePort()}`;
    const config = { ...configOf(base), 'auth.oidc.issuer': fake.url };
    const other = await startSrv({ plugins: ['auth-claims'], config });
    t.after(() => other.stop());
    const browser = new Browser();
    const status = async (): Promise<number> => (await browser.visit(`${base}/oidc/login`)).status;
    assert.equal(await status(), 503);
    discovery = () => JSON.stringify(document('https://other.example', 'https://other.example/jwks'));
    assert.equal(await status(), 503);
    discovery = () => undefined;
    const impatient = await startSrv({
      plugins: ['auth-claims'],
      config: { ...config, listen_address: '127.0.0.1:0', 'auth.oidc.request_timeout': '1s' },
    });
    t.after(() => impatient.stop());
    assert.equal((await browser.visit(`${impatient.url}/oidc/login`)).status, 503);
    // A good document, and tokens that anyone could have made.
    const forged = (claims: object): string => {
      const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${part({ alg: 'none' })}.${part(claims)}.`;
    };
    let nonce = '';
    discovery = url => {
      if (url.includes('well-known')) return JSON.stringify(document(fake.url, `${fake.url}/jwks`));
      if (url.includes('/jwks')) return JSON.stringify({ keys: [] });
      const now = Math.floor(Date.now() / 1000);
      const claims = { iss: fake.url, aud: provider.clientId, sub: 'ann', department: 'sales', nonce, iat: now, exp: now + 60 };
      return JSON.stringify({ access_token: 'a', token_type: 'Bearer', id_token: forged(claims) });
    };
    const { location = '' } = await browser.visit(`${base}/oidc/login`);
    const asked = new URL(location).searchParams;
    nonce = asked.get('nonce') ?? '';
    const answer = await browser.visit(`${base}/oidc/callback?code=x&state=${asked.get('state') ?? ''}`);
    assert.ok([401, 503].includes(answer.status), String(answer.status));
    assert.ok([...browser.cookies(base).keys()].every(name => !name.startsWith('access_token')));
  });
});

describe('groups by claims', () => {
  it('follow the claims at every login when that is asked for', async t => {
    const base = `http://127.0.0.1:${await freePort()}`;
    const own: Record<string, Record<string, unknown>> = { cleo: { department: 'sales', groups: ['Developers'] } };
    const idp = await startOidc({ redirectUri: `${base}/oidc/callback`, afterLogout: `${base}/`, people: own });
    t.after(() => idp.close());
    const config = {
      ...configOf(base),
      'auth.oidc.issuer': idp.issuer,
      'auth.oidc.client_secret': idp.clientSecret,
      'auth.oidc.sync_groups': true,
    };
    const other = await startSrv({ plugins: ['auth-claims'], config });
    t.after(() => other.stop());
    const auth = other.kernel.services.get('auth');
    const visit = async (): Promise<string[]> => {
      await new Browser().walk(`${base}/oidc/login`, 'cleo', url => url === `${base}/`);
      return (await auth.listUserGroups('cleo')).results.map(({ id }) => id);
    };
    assert.deepEqual(await visit(), ['Developers']);
    own['cleo'] = { department: 'sales', groups: 'SuperUsers, Viewers' };
    assert.deepEqual(await visit(), ['SuperUsers', 'Viewers']);
    own['cleo'] = { department: 'sales', groups: [] };
    assert.deepEqual(await visit(), []);
    await auth.addMember('Viewers', 'cleo');
    own['cleo'] = { department: 'sales' };
    assert.deepEqual(await visit(), ['Viewers'], 'claims that do not say change nothing');
  });
});
