/** Against a real LDAP server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { loopbackCertificate } from '@srv/test-servers';
import { startLdap } from '@srv/test-servers/ldap';
import { parseLdapUrl } from '../src/ldap-url.js';
import { LdapAuthenticator } from '../src/server/ldap-authenticator.js';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { LdapServer, LdapOptions as ServerOptions } from '@srv/test-servers/ldap';
import type { LdapOptions } from '../src/server/ldap-authenticator.js';

const people = [
  { uid: 'Ann', password: 'ann secret', attributes: { mail: 'ann@example.com' } },
  { uid: 'bob', password: 'bob secret', attributes: { mail: 'both@example.com' } },
  { uid: 'cleo', password: 'cleo secret', attributes: { mail: 'both@example.com' } },
];

function authenticator(url: string, options: Partial<LdapOptions> = {}): LdapAuthenticator {
  const place = parseLdapUrl(url);
  if ('problem' in place) assert.fail(place.problem);
  return new LdapAuthenticator({ ...place, startTls: false, timeout: 60_000, ca: loopbackCertificate.cert, ...options });
}

async function directory(t: TestContext, options: Partial<ServerOptions> = {}): Promise<LdapServer> {
  const server = await startLdap({ people, ...options });
  t.after(() => server.close());
  return server;
}

const pair = (accessKeyId: string, secretAccessKey: string) => ({ accessKeyId, secretAccessKey });

describe('an LDAP directory', () => {
  it('admits users with the right password, under the name as the directory spells it', async t => {
    const ldap = authenticator((await directory(t)).url);
    assert.equal(await ldap.authenticate(pair('ann', 'ann secret')), 'Ann');
    assert.equal(await ldap.authenticate(pair('bob', 'bob secret')), 'bob');
    for (const [name, password] of [
      ['bob', 'wrong'],
      ['nobody', 'bob secret'],
      ['bob', ''],
      ['', ''],
      ['bob\0', 'bob secret'],
    ] as const)
      assert.equal(await ldap.authenticate(pair(name, password)), undefined, `${name} ${password}`);
  });

  it('never logs in without a password, which would succeed as an anonymous bind', async t => {
    const server = await directory(t);
    assert.equal(await authenticator(server.url).authenticate(pair('bob', '')), undefined);
    assert.deepEqual([server.binds, server.searches], [[], []]);
  });

  it('takes a name for a value, whatever is in it', async t => {
    const server = await directory(t);
    const ldap = authenticator(server.url);
    for (const name of ['*', 'b*', 'bob)(uid=*', '*)(objectClass=*', String.raw`\2a`, 'bob)(|(uid=ann'])
      assert.equal(await ldap.authenticate(pair(name, 'bob secret')), undefined, name);
    assert.deepEqual(server.binds, []);
    assert.equal(server.searches.length, 6);
  });

  it('is searched by the attribute, the filter and the reader of the configuration', async t => {
    const reader = { dn: 'cn=reader,dc=example,dc=com', password: 'reader secret' };
    const server = await directory(t, { reader });
    const byMail = `${server.url}?mail?sub?(objectClass=person)`;
    assert.equal(await authenticator(byMail, { reader }).authenticate(pair('ANN@example.com', 'ann secret')), 'ann@example.com');
    assert.equal(
      await authenticator(`${server.url}?mail?sub?(objectClass=robot)`, { reader }).authenticate(pair('ann@example.com', 'ann secret')),
      undefined,
    );
    await assert.rejects(authenticator(byMail, { reader }).authenticate(pair('both@example.com', 'bob secret')), {
      code: 'unavailable',
      message: /more than one entry/,
    });
    await assert.rejects(
      authenticator(byMail, { reader: { ...reader, password: 'stale' } }).authenticate(pair('ann@example.com', 'ann secret')),
      {
        code: 'unavailable',
        message: /bind_dn is refused/,
      },
    );
    await assert.rejects(authenticator(byMail).authenticate(pair('ann@example.com', 'ann secret')), { code: 'unavailable' });
  });

  it('is unavailable when its certificate is not trusted, it is silent, slow, or not there', async t => {
    const server = await directory(t);
    await assert.rejects(authenticator(server.url, { ca: undefined }).authenticate(pair('bob', 'bob secret')), {
      code: 'unavailable',
      message: /certificate/,
    });
    assert.deepEqual(server.binds, []);
    const slow = await directory(t, { onSearch: () => new Promise(() => undefined) });
    await assert.rejects(authenticator(slow.url, { timeout: 200 }).authenticate(pair('bob', 'bob secret')), { code: 'unavailable' });
    const nonsense = createServer(socket => socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(
      0,
      '127.0.0.1',
    );
    await once(nonsense, 'listening');
    t.after(() => nonsense.close());
    const port = (nonsense.address() as AddressInfo).port;
    await assert.rejects(authenticator(`ldap://127.0.0.1:${port}/dc=a`, { timeout: 500 }).authenticate(pair('bob', 'x')), {
      code: 'unavailable',
    });
    await server.stop();
    await assert.rejects(authenticator(server.url).authenticate(pair('bob', 'bob secret')), {
      code: 'unavailable',
      message: /ECONNREFUSED/,
    });
  });

  it('gets no password in clear text unless that is asked for', async t => {
    const server = await directory(t, { secure: false });
    await assert.rejects(authenticator(server.url, { startTls: true, timeout: 1_000 }).authenticate(pair('bob', 'bob secret')), {
      code: 'unavailable',
    });
    assert.deepEqual(server.binds, []);
    assert.equal(await authenticator(server.url).authenticate(pair('bob', 'bob secret')), 'bob');
  });
});
