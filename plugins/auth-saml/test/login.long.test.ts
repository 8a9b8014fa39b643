/** The login in the browser, at an identity provider that also answers as an attacker would. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { sessionCookieName } from '@srv/lib-api';
import { freePort, startSrv } from '@srv/test-servers';
import { Browser } from '@srv/test-servers/oidc';
import { installedIn } from '@srv/test-servers/packages';
import { assertionXml, encode, idpIssuer, newId, requestIn, responseXml, sha1, sign } from './support/identity-provider.js';
import { nextKey, otherKey, ownKey } from './support/keys.js';
import type {} from '@srv/auth/contract';
import type { RunningSrv } from '@srv/test-servers';
import type { Statements } from './support/identity-provider.js';

let srv: RunningSrv;
let base: string;
const entryPoint = 'https://idp.example/sso?tenant=1';

async function start(config: Record<string, unknown> = {}): Promise<RunningSrv> {
  const certificates = join(scratchFolder(), 'idp.pem');
  // The provider's next certificate comes first: any of them may have signed.
  writeFileSync(certificates, `${nextKey.certificate}${ownKey.certificate}`);
  base = `http://127.0.0.1:${await freePort()}`;
  return startSrv({
    plugins: ['auth-saml'],
    config: {
      listen_address: base.replace('http://', ''),
      'auth.ui_config.rbac': 'internal',
      'auth.saml.entry_point': entryPoint,
      'auth.saml.idp_issuer': idpIssuer,
      'auth.saml.idp_certificate_file': certificates,
      'auth.saml.callback_base_url': base,
      'auth.saml.validate_attributes': 'department=sales',
      'auth.saml.friendly_name_attribute': 'displayName',
      'auth.saml.persist_friendly_name': true,
      'auth.saml.email_attribute': 'mail',
      'auth.saml.initial_groups_attribute': 'groups',
      'auth.saml.default_initial_groups': 'Viewers',
      'auth.saml.installed_in': installedIn('@node-saml/node-saml'),
      ...config,
    },
  });
}

before(async () => {
  srv = await start();
});
after(() => srv.stop());

/** A browser that was sent to the provider. */
async function begin(next = ''): Promise<{ browser: Browser; id: string; url: string; xml: string }> {
  const browser = new Browser();
  const { location = '' } = await browser.visit(`${srv.url}/saml/login${next && `?next=${encodeURIComponent(next)}`}`);
  return { browser, url: location, ...requestIn(location) };
}

const sales = { department: ['sales'] };
const signed = (id: string, said: Statements = {}): string =>
  responseXml(base, sign(assertionXml(base, { attributes: sales, inResponseTo: id, ...said }), 'Assertion'), { inResponseTo: id });

/** The provider's form, which brings no cookie of ours. @returns what the server answers. */
const post = (xml: string, more: Record<string, string> = {}) =>
  new Browser().visit(`${srv.url}/saml/acs`, { SAMLResponse: encode(xml), ...more });

async function logIn(said: Statements = {}, next = ''): Promise<{ browser: Browser; at: string | undefined }> {
  const { browser, id } = await begin(next);
  const { status, location = '' } = await post(signed(id, said));
  assert.equal(status, 303);
  return { browser, at: (await browser.visit(location)).location };
}

async function whoIs(browser: Browser): Promise<{ id: string; friendly_name?: string; email?: string }> {
  const { text } = await browser.visit(`${srv.url}/api/v1/user`);
  return (JSON.parse(text) as { user: { id: string } }).user;
}

const session = (): string => sessionCookieName(srv.kernel.services.get('identity').installationId);
const groupsOf = async (name: string): Promise<string[]> =>
  (await srv.kernel.services.get('auth').listUserGroups(name)).results.map(({ id }) => id);

describe('a login at a SAML provider', () => {
  it('asks the provider with a request of its own, and says who it is', async () => {
    const { url, xml } = await begin();
    assert.match(url, /^https:\/\/idp\.example\/sso\?tenant=1&SAMLRequest=/);
    assert.match(xml, new RegExp(`AssertionConsumerServiceURL="${base}/saml/acs"`));
    const metadata = await new Browser().visit(`${srv.url}/saml/metadata`);
    assert.equal(metadata.status, 200);
    for (const part of [`entityID="${base}/saml/metadata"`, 'WantAssertionsSigned="true"', `Location="${base}/saml/acs"`])
      assert.ok(metadata.text.includes(part), part);
    const setup = JSON.parse((await new Browser().visit(`${srv.url}/api/v1/setup_lakefs`)).text) as {
      login_config: Record<string, string>;
    };
    assert.deepEqual([setup.login_config['login_url'], setup.login_config['fallback_login_url']], ['/saml/login', '/saml/login']);
  });

  it('creates a user at the first login, with name, address and groups, and a session', async () => {
    const attributes = { ...sales, displayName: ['Ann &amp; Co'], mail: ['ann@example.com'], groups: ['Developers', 'NoSuchGroup'] };
    const { browser, at } = await logIn({ attributes }, '/repositories?x=1');
    assert.equal(at, `${srv.url}/repositories?x=1`);
    const { id, friendly_name: name, email } = await whoIs(browser);
    assert.deepEqual([id, name, email, await groupsOf('ann')], ['ann', 'Ann & Co', 'ann@example.com', ['Developers']]);
    const account = await srv.kernel.services.get('accounts').findAccount('ann');
    assert.deepEqual([account?.source, account?.externalId], ['saml', 'ann']);
    assert.deepEqual([...browser.cookies(srv.url).keys()], [session()]);
    const { browser: bob } = await logIn({ nameId: 'bob' });
    assert.deepEqual([(await whoIs(bob)).id, await groupsOf('bob')], ['bob', ['Viewers']]);
  });

  it('accepts a response that is signed as a whole if the assertion is, too', async () => {
    const { browser, id } = await begin();
    const { location = '' } = await post(sign(signed(id), 'Response'));
    await browser.visit(location);
    assert.equal((await whoIs(browser)).id, 'ann');
  });

  it('leads to a path of this server, whatever the request and RelayState say', async () => {
    for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      const { browser, id } = await begin(next);
      const { location = '' } = await post(signed(id), { RelayState: next });
      assert.ok(location.startsWith(`${srv.url}/saml/finish?`), location);
      assert.equal((await browser.visit(location)).location, `${srv.url}/`, next);
    }
  });

  it('ends with the session of the provider', async () => {
    const { browser } = await logIn({ sessionEnds: 3 });
    assert.equal((await whoIs(browser)).id, 'ann');
    const [, claims = ''] = (browser.cookies(srv.url).get(session()) ?? '').split('.');
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number };
    assert.ok(exp * 1000 <= Date.now() + 4000, `${exp}`);
  });
});

/** What the server answers to a response. */
async function attempt(xml: string): Promise<number> {
  const { status } = await post(xml);
  return status;
}

describe('a response of a SAML provider is refused', () => {
  const refusedAs = async (name: string, make: (id: string) => string): Promise<void> => {
    const { id } = await begin();
    assert.equal(await attempt(make(id)), 401, name);
  };

  it('when it is not signed, or by another key, or was changed', async () => {
    const plain = (id: string): string =>
      responseXml(base, assertionXml(base, { attributes: sales, inResponseTo: id }), { inResponseTo: id });
    await refusedAs('unsigned', plain);
    await refusedAs('another key', id =>
      responseXml(base, sign(assertionXml(base, { attributes: sales, inResponseTo: id }), 'Assertion', otherKey)),
    );
    await refusedAs('only the response is signed', id => sign(plain(id), 'Response'));
    await refusedAs('changed', id => signed(id).replace('>ann<', '>admin<'));
    await refusedAs('SHA-1', id =>
      responseXml(base, sign(assertionXml(base, { attributes: sales, inResponseTo: id }), 'Assertion', ownKey, sha1)),
    );
    await refusedAs('signature removed', id => signed(id).replace(/<ds:Signature .*<\/ds:Signature>/, ''));
  });

  it('when it is for another service, of another provider, or not valid now', async () => {
    const cases: Record<string, Statements> = {
      'other audience': { audience: 'https://other.example' },
      'other recipient': { recipient: 'https://other.example/saml/acs' },
      'other issuer': { issuer: 'https://evil.example' },
      expired: { notBefore: -600, notOnOrAfter: -60 },
      'not yet valid': { notBefore: 120 },
      'no conditions': { without: 'conditions' },
      'no confirmation': { without: 'confirmation' },
      'session at the provider has ended': { sessionEnds: -60 },
      'other department': { attributes: { department: ['other'] } },
      'two departments': { attributes: { department: ['sales', 'other'] } },
      'empty name': { nameId: '' },
      'transient name': { format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' },
    };
    for (const [name, said] of Object.entries(cases)) await refusedAs(name, id => signed(id, said));
  });

  it('accepts a clock that differs by less than auth.saml.clock_skew', async () => {
    for (const said of [{ notBefore: 20 }, { notBefore: -600, notOnOrAfter: -20 }]) {
      const { id } = await begin();
      assert.equal(await attempt(signed(id, said)), 303);
    }
  });

  it('when a signed assertion is wrapped into another document', async () => {
    // As a user who has a genuine assertion for ann would, to become admin.
    const evil = (id: string, inside = ''): string =>
      assertionXml(base, { nameId: 'admin', attributes: sales, inResponseTo: id }).replace(
        '</saml:Assertion>',
        `${inside}</saml:Assertion>`,
      );
    const genuine = (id: string, own = newId()): string =>
      sign(assertionXml(base, { id: own, attributes: sales, inResponseTo: id }), 'Assertion');
    const wrap = (content: string): string => responseXml(base, content);
    const signatureOf = (xml: string): string => /<ds:Signature .*<\/ds:Signature>/s.exec(xml)?.[0] ?? '';
    await refusedAs('evil one first', id => wrap(evil(id) + genuine(id)));
    await refusedAs('evil one last', id => wrap(genuine(id) + evil(id)));
    await refusedAs('genuine one inside the evil one', id => wrap(evil(id, genuine(id))));
    await refusedAs('genuine one in extensions', id => wrap(`<samlp:Extensions>${genuine(id)}</samlp:Extensions>${evil(id)}`));
    await refusedAs('signature moved', id => {
      const own = newId();
      const good = genuine(id, own);
      return wrap(`${evil(id).replace('</saml:Issuer>', `</saml:Issuer>${signatureOf(good)}`)}<saml:x xmlns:saml="urn:x">${good}</saml:x>`);
    });
    await refusedAs('the same id twice', id => {
      const own = newId();
      const good = genuine(id, own);
      const bad = evil(id).replace(/ ID="[^"]+"/, ` ID="${own}"`);
      return wrap(
        bad.replace(
          '</saml:Issuer>',
          `</saml:Issuer>${signatureOf(good).replace('</ds:Signature>', `<ds:Object>${good}</ds:Object></ds:Signature>`)}`,
        ),
      );
    });
    await refusedAs('genuine one in the object of a signature', id => {
      const good = genuine(id);
      return wrap(
        evil(id).replace(
          '</saml:Issuer>',
          `</saml:Issuer><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:Object>${good}</ds:Object></ds:Signature>`,
        ),
      );
    });
    await refusedAs('two signatures', id => {
      const good = genuine(id);
      return wrap(good.replace('</saml:Issuer>', `</saml:Issuer>${signatureOf(genuine(id))}`));
    });
    await refusedAs('response around the response', id =>
      responseXml(base, evil(id)).replace(
        '<samlp:Status>',
        `<samlp:Extensions>${sign(wrap(genuine(id)), 'Response')}</samlp:Extensions><samlp:Status>`,
      ),
    );
    assert.equal((await srv.kernel.services.get('accounts').findAccount('admin'))?.externalId, '');
  });

  it('with a comment, an entity, a document type, or a section in it', async () => {
    // Signed as admin.evil; a reader that stops at the comment sees admin.
    await refusedAs('comment', id => signed(id, { nameId: 'admin.evil' }).replace('admin.evil', 'admin<!---->.evil'));
    await refusedAs('section', id => signed(id).replace('>ann<', '><![CDATA[ann]]><'));
    await refusedAs('instruction', id => signed(id).replace('>ann<', '>an<?x y?>n<'));
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>`;
    await refusedAs('document type', id => bomb + signed(id, { nameId: '&b;' }));
    await refusedAs('file', id => `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>${signed(id)}`);
    await refusedAs('unknown entity', id => signed(id).replace('>ann<', '>&b;<'));
  });

  it('when it is larger than any honest one, not base64, not XML, or missing', async () => {
    for (const [name, text] of [
      ['tags', '<a/>'.repeat(20_000)],
      ['bytes', `<a>${'x'.repeat(300_000)}</a>`],
      ['text', 'no XML'],
      ['nothing', ''],
      ['depth', '<a>'.repeat(5_000)],
      ['binary', '\u0000\u0001'],
    ] as const)
      await refusedAs(name, id => responseXml(base, text, { inResponseTo: id }));
    const raw = async (form: Record<string, string>): Promise<number> => (await new Browser().visit(`${srv.url}/saml/acs`, form)).status;
    assert.deepEqual(await Promise.all([raw({}), raw({ SAMLResponse: '%%%' }), raw({ SAMLResponse: '/w==' })]), [401, 401, 401]);
    assert.equal(await raw({ SAMLResponse: 'A'.repeat(600_000) }), 413);
  });

  it('in a thread, while the server answers others', async () => {
    const { browser, id } = await begin();
    // Slow for the library: thousands of siblings around a signature.
    const slow = signed(id).replace('<samlp:Status>', `<samlp:Extensions>${'<a/>'.repeat(5_500)}</samlp:Extensions><samlp:Status>`);
    const order: string[] = [];
    const others = async (): Promise<void> => {
      for (let count = 0; count < 20; count++) await whoIs(browser);
      order.push('others');
    };
    await Promise.all([attempt(slow).then(() => order.push('slow')), others()]);
    assert.deepEqual(order, ['others', 'slow']);
  });
});

describe('a login at a SAML provider belongs to one browser, once', () => {
  it('refuses an assertion that was used before, at every server', async () => {
    const { browser, id } = await begin();
    const xml = signed(id);
    const { location = '' } = await post(xml);
    assert.equal(await attempt(xml), 401);
    await browser.visit(location);
    assert.equal((await whoIs(browser)).id, 'ann');
    assert.equal(await attempt(xml), 401);
    // What remembers it is the database that all servers share.
    const found: string[] = [];
    for await (const page of srv.kernel.services.get('kv').scan('auth', { start: Buffer.from('expiredTokens/') }))
      found.push(...page.map(({ key }) => key.toString()));
    assert.ok(found.some(key => key.includes('-saml-')));
  });

  it('refuses a ticket in another browser, twice, or without the login', async () => {
    const [ours, theirs] = [await begin(), await begin()];
    const { location = '' } = await post(signed(ours.id));
    assert.equal((await theirs.browser.visit(location)).status, 401);
    assert.equal((await new Browser().visit(location)).status, 401);
    const attemptCookie = ours.browser.cookies(srv.url).get('saml_login') ?? '';
    assert.equal((await ours.browser.visit(location)).status, 303);
    assert.equal((await ours.browser.visit(location)).status, 401);
    ours.browser.set(srv.url, 'saml_login', attemptCookie);
    assert.equal((await ours.browser.visit(location)).status, 401);
    ours.browser.set(srv.url, 'saml_login', attemptCookie);
    assert.equal((await ours.browser.visit(`${srv.url}/saml/finish?ticket=x`)).status, 401);
    assert.deepEqual([...theirs.browser.cookies(srv.url).keys()], ['saml_login']);
  });

  it('refuses an assertion that answers no request, or that of another browser', async () => {
    assert.equal(await attempt(signed('')), 401);
    assert.equal(await attempt(signed('_0123')), 401);
    const { browser } = await begin();
    const { location = '' } = await post(signed(`_${'0'.repeat(40)}`));
    assert.equal((await browser.visit(location)).status, 401);
    assert.equal((await whoIs(browser)).id, '');
  });
});
