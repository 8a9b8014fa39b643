/** Invitations and forgotten passwords, on a whole server with a real mail host. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@srv/kernel/testing';
import { signPurposeToken } from '@srv/lib-auth';
import { startSrv } from '@srv/test-servers';
import { startSmtp } from '@srv/test-servers/smtp';
import type { RunningSrv } from '@srv/test-servers';
import type { SmtpServer } from '@srv/test-servers/smtp';

const secretKey = 'another secret for tests';
const refusedAddress = 'refused@example.com';
let srv: RunningSrv;
let smtp: SmtpServer;

before(async () => {
  smtp = await startSmtp({ open: true, refuses: address => address === refusedAddress });
  srv = await startSrv({
    plugins: ['email'],
    config: {
      'auth.ui_config.rbac': 'internal',
      'email.smtp_host': '127.0.0.1',
      'email.smtp_port': Number(new URL(smtp.url).port),
      'email.sender': 'srv@example.com',
      'email.srv_base_url': 'https://store.example/base/',
      'email.limit_every_duration': '0',
    },
  });
});
after(async () => {
  await srv.stop();
  await smtp.close();
});

interface Answer {
  readonly status: number;
  readonly message: string;
}

async function call(method: string, path: string, body?: object, authorization?: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) };
  const response = await fetch(`${srv.url}/api/v1${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const text = await response.text();
  return { status: response.status, message: text };
}

const basic = (name: string, secret: string): string => `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
const asAdmin = (): string => basic(srv.key.accessKeyId, srv.key.secretAccessKey);
const invite = (id: string) => call('POST', '/auth/users', { id, invite_user: true }, asAdmin());
const setPassword = (token: string, password: string, email?: string) =>
  call('POST', '/auth/password', { token, new_password: password, ...(email === undefined ? {} : { email }) });
const logIn = (name: string, password: string) => call('POST', '/auth/login', { access_key_id: name, secret_access_key: password });

/** The link of the newest message to an address, in both of its forms. */
async function linkTo(address: string, count = 1): Promise<URL> {
  const messages = () => smtp.received.filter(({ to }) => to.includes(address));
  await until(() => messages().length >= count);
  const raw = messages().at(-1)?.raw ?? '';
  const decoded = raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const links = [...decoded.matchAll(/https:\/\/[^\s"<]+/g)].map(([link]) => link.replaceAll('&amp;', '&'));
  assert.equal(links.length, 2, 'one link as text, the same as HTML');
  assert.equal(links[0], links[1]);
  return new URL(links[0] ?? '');
}

describe('an invitation', () => {
  it('makes a user who chooses a password once', async () => {
    assert.deepEqual(await invite('Ann@Example.com').then(({ status, message }) => [status, JSON.parse(message).id]), [
      201,
      'ann@example.com',
    ]);
    const link = await linkTo('ann@example.com');
    assert.equal(`${link.origin}${link.pathname}`, 'https://store.example/base/auth/users/create');
    assert.equal(link.searchParams.get('email'), 'ann@example.com');
    const token = link.searchParams.get('token') ?? '';
    assert.equal((await logIn('ann@example.com', '')).status, 401);
    assert.deepEqual([(await setPassword(token, 'short')).status, (await setPassword(token, 'x'.repeat(73))).status], [400, 400]);
    assert.equal((await setPassword(token, 'long enough', 'bob@example.com')).status, 401);
    const answer = await setPassword(token, 'long enough', 'ANN@example.com');
    assert.deepEqual([answer.status, answer.message], [201, '']);
    assert.equal((await setPassword(token, 'another one')).status, 401, 'used up');
    assert.equal((await logIn('ann@example.com', 'long enough')).status, 200);
    assert.equal((await call('GET', '/user', undefined, basic('Ann@example.com', 'long enough'))).status, 200);
    assert.match((await call('GET', '/user', undefined, basic('ann@example.com', 'long enough!'))).message, /error authenticating request/);
  });

  it('that cannot be sent leaves no user', async () => {
    const { status, message } = await invite(refusedAddress);
    assert.equal(status, 400);
    assert.match(message, /refused a message to refused@example\.com: 550 no such mailbox/);
    assert.equal((await call('GET', `/auth/users/${refusedAddress}`, undefined, asAdmin())).status, 404);
  });

  it('is for new users with an address, and needs the permission', async () => {
    assert.deepEqual([(await invite('not an address')).status, (await invite('ann@example.com')).status], [400, 409]);
    assert.match((await invite('not an address')).message, /Invalid email format/);
    assert.equal((await call('POST', '/auth/users', { id: 'x@example.com', invite_user: true })).status, 401);
  });

  it('makes only the user whose name permissions were checked for', async () => {
    const statement = [
      { effect: 'allow', action: ['auth:CreateUser'], resource: 'arn:lakefs:auth:::user/*' },
      { effect: 'deny', action: ['auth:CreateUser'], resource: 'arn:lakefs:auth:::user/boss@good.com' },
    ];
    await call('POST', '/auth/policies', { id: 'Inviters', statement }, asAdmin());
    await call('POST', '/auth/users', { id: 'inviter' }, asAdmin());
    await call('PUT', '/auth/users/inviter/policies/Inviters', undefined, asAdmin());
    const key = JSON.parse((await call('POST', '/auth/users/inviter/credentials', undefined, asAdmin())).message);
    const tries = async (id: string) => {
      const { status, message } = await call(
        'POST',
        '/auth/users',
        { id, invite_user: true },
        basic(key.access_key_id, key.secret_access_key),
      );
      return [status, JSON.parse(message).message ?? ''];
    };
    const sent = smtp.received.length;
    assert.equal((await tries('Boss@Good.com'))[0], 401);
    for (const id of ['Boss <boss@good.com>', '<boss@good.com>', ' boss@good.com', 'boss@good.com\t'])
      assert.deepEqual(await tries(id), [
        400,
        `Invalid email format: ${JSON.stringify(id.toLowerCase())} must be the address alone, such as ann@example.com`,
      ]);
    assert.equal((await call('GET', '/auth/users/boss@good.com', undefined, asAdmin())).status, 404);
    assert.equal(smtp.received.length, sent);
    assert.equal((await tries('New@Good.com'))[0], 201);
  });

  it('is no longer accepted for users with a password', async () => {
    await invite('dora@example.com');
    const token = (await linkTo('dora@example.com')).searchParams.get('token') ?? '';
    await call('POST', '/auth/password/forgot', { email: 'dora@example.com' });
    const reset = (await linkTo('dora@example.com', 2)).searchParams.get('token') ?? '';
    assert.equal((await setPassword(reset, 'chosen by reset')).status, 201);
    assert.equal((await setPassword(token, 'chosen by invitation')).status, 401);
    assert.equal((await logIn('dora@example.com', 'chosen by reset')).status, 200);
  });
});

describe('a forgotten password', () => {
  it('is replaced by link, which ends sessions', async () => {
    const session = JSON.parse((await logIn('ann@example.com', 'long enough')).message).token as string;
    assert.equal((await call('POST', '/auth/password/forgot', { email: 'Ann@example.com' })).status, 204);
    const link = await linkTo('ann@example.com', 2);
    assert.equal(link.pathname, '/base/auth/resetpassword');
    assert.deepEqual([...link.searchParams.keys()], ['token']);
    const token = link.searchParams.get('token') ?? '';
    assert.equal((await call('GET', '/repositories', undefined, `Bearer ${token}`)).message.includes('error authenticating request'), true);
    assert.equal((await setPassword(token, 'a new password')).status, 201);
    assert.equal((await logIn('ann@example.com', 'long enough')).status, 401);
    assert.equal((await call('GET', '/user', undefined, `Bearer ${session}`)).status, 401);
    assert.equal((await logIn('ann@example.com', 'a new password')).status, 200);
  });

  it('is not replaced by links sent before the password changed, or to an earlier user of the address', async () => {
    const [email, accounts] = ['eve@example.com', srv.kernel.services.get('accounts')];
    const tokenOf = async (count: number) => (await linkTo(email, count)).searchParams.get('token') ?? '';
    await invite(email);
    const invitation = await tokenOf(1);
    await call('POST', '/auth/password/forgot', { email });
    const reset = await tokenOf(2);
    assert.doesNotMatch(Buffer.from(reset.split('.')[1] ?? '', 'base64url').toString(), /\$2b/);
    const invited = Math.floor(Date.now() / 1000);
    await until(() => Math.floor(Date.now() / 1000) > invited);
    await call('DELETE', `/auth/users/${email}`, undefined, asAdmin());
    assert.equal((await invite(email)).status, 201);
    for (const token of [invitation, reset]) assert.equal((await setPassword(token, 'of another user')).status, 401);
    const again = await tokenOf(3);
    assert.equal((await setPassword(again, 'chosen by invitation')).status, 201);
    const account = await accounts.findAccount('dora@example.com');
    const state = JSON.stringify([account?.username, Math.floor((account?.createdAt.getTime() ?? 0) / 1000), account?.encryptedPassword]);
    const links = ['one', 'two'].map(() => accounts.issuePurposeToken('reset_password', 'dora@example.com', 60_000, state));
    const statuses = await Promise.all(links.map(async (token, n) => (await setPassword(token, `chosen by link ${n}`)).status));
    assert.deepEqual(
      [...statuses].sort((a, b) => a - b),
      [201, 401],
      'of two links at once, one works',
    );
    for (const token of links) assert.equal((await setPassword(token, 'chosen by an older link')).status, 401);
    assert.equal((await logIn('dora@example.com', `chosen by link ${statuses.indexOf(201)}`)).status, 200);
  });

  it('is asked for alike by everybody', async () => {
    const before = smtp.received.length;
    for (const email of ['nobody@example.com', 'ann@example.com', 'admin@example.com']) {
      const answer = await call('POST', '/auth/password/forgot', { email });
      assert.deepEqual([answer.status, answer.message], [204, '']);
    }
    assert.equal((await call('POST', '/auth/password/forgot', { email: 'nonsense' })).status, 400);
    await sleep(100);
    assert.equal(smtp.received.length, before, 'ann got one a moment ago, the others do not exist');
  });

  it('is not replaced by tokens that are forged, expired, or of users who are gone', async () => {
    const token = (audience: string, subject: string, seconds: number, key = secretKey) =>
      signPurposeToken({ audience, subject, id: `t${Math.random()}`, expiresAt: new Date(Date.now() + seconds * 1000) }, key, new Date());
    const ann = 'ann@example.com';
    assert.equal((await setPassword(token('reset_password', ann, 60, 'other key'), 'long enough')).status, 401);
    assert.equal((await setPassword(token('reset_password', ann, -1), 'long enough')).status, 401);
    assert.equal((await setPassword(token('login', ann, 60), 'long enough')).status, 401);
    assert.equal((await setPassword('', 'long enough')).status, 401);
    assert.equal((await setPassword(token('reset_password', 'gone@example.com', 60), 'long enough')).status, 404);
    assert.equal((await setPassword(token('reset_password', ann, 60), 'a new password')).status, 201);
  });
});

describe('the pages that links lead to', () => {
  const visit = async (path: string, form?: Readonly<Record<string, string>>) => {
    const response = await fetch(`${srv.url}${path}`, form ? { method: 'POST', body: new URLSearchParams(form) } : {});
    return { status: response.status, html: await response.text(), headers: response.headers };
  };

  it('set a password, without any other page', async () => {
    await invite('page@example.com');
    const link = await linkTo('page@example.com');
    const path = link.href.replace('https://store.example/base', '');
    const form = await visit(path);
    assert.equal(form.status, 200);
    assert.match(form.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.deepEqual([form.headers.get('referrer-policy'), form.headers.get('cache-control')], ['no-referrer', 'no-store']);
    const token = /name="token" value="([^"]+)"/.exec(form.html)?.[1] ?? '';
    assert.equal(token, link.searchParams.get('token'));
    const set = (password: string, repeated = password) =>
      visit('/auth/users/create', { token, email: 'page@example.com', password, repeated });
    assert.deepEqual([(await set('long enough', 'other')).status, (await set('short')).status], [400, 400]);
    const done = await set('long enough');
    assert.equal(done.status, 200);
    assert.match(done.html, /Your password is set\..*href="\/base\/auth\/login"/s);
    const again = await set('long enough');
    assert.equal(again.status, 401);
    assert.match(again.html, /no longer valid\..*href="\/base\/auth\/forgotpassword">Ask for a new message</s);
    assert.equal((await logIn('page@example.com', 'long enough')).status, 200);
  });

  it('show nothing as HTML that came in an address or a form', async () => {
    const evil = '"><script>alert(1)</script>';
    const pages = [
      await visit(`/auth/users/create?token=${encodeURIComponent(evil)}&email=${encodeURIComponent(evil)}`),
      await visit('/auth/resetpassword', { token: evil, email: evil, password: 'a', repeated: 'b' }),
      await visit('/auth/forgotpassword', { email: evil }),
    ];
    for (const { html } of pages) assert.doesNotMatch(html, /<script|value=""></);
  });

  it('send a message to the user who forgot the password, and reveal nothing', async () => {
    const known = await visit('/auth/forgotpassword', { email: 'page@example.com' });
    const unknown = await visit('/auth/forgotpassword', { email: 'nobody@example.com' });
    assert.deepEqual([known.status, known.html], [unknown.status, unknown.html]);
    const link = await linkTo('page@example.com', 2);
    assert.equal((await visit(`/auth/resetpassword${link.search}`)).status, 200);
    const token = link.searchParams.get('token') ?? '';
    assert.equal((await visit('/auth/resetpassword', { token, password: 'changed by form', repeated: 'changed by form' })).status, 200);
    assert.equal((await logIn('page@example.com', 'changed by form')).status, 200);
  });
});

describe('guesses of a password', () => {
  it('are slowed down', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 7; n++) statuses.push((await logIn('ann@example.com', `guess number ${n}`)).status);
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429]);
    assert.equal((await call('GET', '/user', undefined, basic('ann@example.com', 'a guess'))).status, 429);
  });
});

describe('a server without a mail host', () => {
  it('says so', async t => {
    const plain = await startSrv({ plugins: ['email'] });
    t.after(() => plain.stop());
    const post = async (path: string, body: object, authorization = '') =>
      (
        await fetch(`${plain.url}/api/v1${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization },
          body: JSON.stringify(body),
        })
      ).status;
    assert.equal(await post('/auth/password/forgot', { email: 'ann@example.com' }), 501);
    assert.equal(await post('/auth/users', { id: 'ann@example.com', invite_user: true }, asAdmin()), 501);
    const capabilities = async (url: string) => (await fetch(`${url}/api/v1/auth/capabilities`)).json();
    assert.deepEqual(await capabilities(plain.url), { invite_user: false, forgot_password: false });
    assert.deepEqual(await capabilities(srv.url), { invite_user: true, forgot_password: true });
  });
});
