/** A server without the library, and what configuration says. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { startSrv } from '@srv/test-servers';
import { readDocument } from '../src/server/document.js';
import { readAssertion } from '../src/thread/assertion.js';
import { ownKey } from './support/keys.js';

const configured = (certificates: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  'auth.ui_config.rbac': 'internal',
  'auth.saml.entry_point': 'https://idp.example/sso',
  'auth.saml.idp_issuer': 'https://idp.example',
  'auth.saml.idp_certificate_file': certificates,
  'auth.saml.callback_base_url': 'https://srv.example',
  ...more,
});

it('without the library every address says what to install, and the rest works', async t => {
  const folder = scratchFolder();
  const certificates = join(folder, 'idp.pem');
  writeFileSync(certificates, ownKey.certificate);
  const { url, stop } = await startSrv({
    plugins: ['auth-saml'],
    config: configured(certificates, { 'auth.saml.installed_in': folder }),
  });
  t.after(stop);
  const form = new URLSearchParams({ SAMLResponse: Buffer.from('<a/>').toString('base64') });
  for (const [path, options] of [
    ['/saml/login', {}],
    ['/saml/metadata', {}],
    ['/saml/acs', { method: 'POST', body: form }],
  ] as const) {
    const response = await fetch(url + path, { redirect: 'manual', ...options });
    assert.deepEqual([path, response.status, /npm install @node-saml\/node-saml@5\.1\.0/.test(await response.text())], [path, 501, true]);
  }
  assert.equal((await fetch(`${url}/api/v1/setup_lakefs`)).status, 200);
});

it('without auth.saml.entry_point the addresses do not exist', async t => {
  const { url, stop } = await startSrv({ plugins: ['auth-saml'] });
  t.after(stop);
  for (const path of ['/saml/login', '/saml/metadata', '/saml/finish']) assert.equal((await fetch(url + path)).status, 404, path);
});

it('a start with certificates that cannot be read names the key and the file', async () => {
  const folder = scratchFolder();
  const wrong = join(folder, 'wrong.pem');
  writeFileSync(wrong, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
  const empty = join(folder, 'empty.pem');
  writeFileSync(empty, ownKey.key);
  for (const file of [wrong, empty, join(folder, 'missing.pem')])
    await assert.rejects(
      startSrv({ plugins: ['auth-saml'], config: configured(file) }),
      new RegExp(`auth\\.saml\\.idp_certificate_file: .*${file}`),
    );
});

it('configuration that would send browsers through clear text, or lacks a part, is refused', async () => {
  for (const [more, message] of [
    [{ 'auth.saml.entry_point': 'http://idp.example/sso' }, /entry_point.*https/],
    [{ 'auth.saml.callback_base_url': 'srv.example' }, /callback_base_url/],
    [{ 'auth.saml.sync_groups': true }, /initial_groups_attribute/],
    [{ 'auth.saml.clock_skew': '1h' }, /clock_skew/],
    [{ 'auth.saml.idp_issuer': '' }, /idp_issuer/],
  ] as const)
    await assert.rejects(startSrv({ plugins: ['auth-saml'], config: configured('/tmp/none', more) }), message);
});

const causeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return String((error as Error).cause);
  }
  return '';
};

it('a response is looked through before it is parsed', () => {
  const reading = (text: string | Buffer) => () => readDocument(Buffer.from(text).toString('base64'));
  assert.equal(reading('<?xml version="1.0"?><a>ä</a>')(), '<?xml version="1.0"?><a>ä</a>');
  for (const [text, reason] of [
    ['<!DOCTYPE a><a/>', /document type/],
    ['<a><!-- --></a>', /comment/],
    ['<a><![CDATA[x]]></a>', /CDATA/],
    ['<a><?x y?></a>', /instruction/],
    ['<?xml-stylesheet href="x"?><a/>', /instruction/],
    ['<a/>'.repeat(6001), /more than 6000 tags/],
    ['x'.repeat(262_145), /more than 262144 bytes/],
    [Buffer.from([0xff, 0xfe]), /UTF-8/],
    ['<a b="http://www.w3.org/2000/09/xmldsig#hmac-sha1"/>', /hmac/],
    ['<m Algorithm="http://www.w3.org/2000/09/xmldsig&#35;rsa-sha1"/>', /written with references/],
  ] as const)
    assert.match(causeOf(reading(text)), reason);
});

it('a signed assertion of any shape is read or refused, and never breaks the reader', () => {
  const trust = {
    certificates: [],
    idpIssuer: 'idp',
    entityId: 'srv',
    acsUrl: 'https://srv/saml/acs',
    entryPoint: '',
    clockSkew: 0,
  };
  for (const parsed of [
    undefined,
    null,
    7,
    'text',
    {},
    { Assertion: [] },
    { Assertion: { Issuer: [{ _: 7 }] } },
    { Assertion: { Issuer: 'idp' } },
  ])
    assert.throws(() => readAssertion(parsed, trust, 0), Error);
  const end = '2026-01-01T00:00:00Z';
  const whole = {
    Assertion: {
      $: { ID: 'a' },
      Issuer: [{ _: 'idp' }],
      Subject: [
        {
          NameID: [{ _: 'ann' }],
          SubjectConfirmation: [
            {
              $: { Method: 'urn:oasis:names:tc:SAML:2.0:cm:bearer' },
              SubjectConfirmationData: [{ $: { Recipient: trust.acsUrl, NotOnOrAfter: end, InResponseTo: '_1' } }],
            },
          ],
        },
      ],
      Conditions: [{ AudienceRestriction: [{ Audience: [{ _: 'srv' }] }] }],
      AttributeStatement: [{ Attribute: [{ $: { Name: '__proto__' }, AttributeValue: ['x'] }] }],
    },
  };
  const assertion = readAssertion(whole, trust, Date.parse(end) - 1);
  assert.deepEqual([assertion.nameId, assertion.inResponseTo, Object.entries(assertion.attributes)], ['ann', '_1', [['__proto__', ['x']]]]);
  assert.throws(() => readAssertion(whole, trust, Date.parse(end)), /expired/);
});
