/** The login in Chromium: provider and server are different sites, so no cookie of ours comes with the provider's form. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { it } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { freePort, startSrv } from '@srv/test-servers';
import { needsChromium, startChromium } from '@srv/test-servers/chromium';
import { installedIn } from '@srv/test-servers/packages';
import { assertionXml, encode, idpIssuer, requestIn, responseXml, sign } from './support/identity-provider.js';
import { ownKey } from './support/keys.js';

it('a person logs in at the provider with a click on the login page', { skip: needsChromium }, async t => {
  const certificates = join(scratchFolder(), 'idp.pem');
  writeFileSync(certificates, ownKey.certificate);
  const base = `http://127.0.0.1:${await freePort()}`;
  let cookies: string | undefined = 'not called';
  const idp = createServer((request, response) => {
    const { id } = requestIn(`http://localhost${request.url}`);
    const assertion = sign(assertionXml(base, { nameId: 'ann', inResponseTo: id }), 'Assertion');
    const xml = responseXml(base, assertion, { inResponseTo: id });
    response.setHeader('content-type', 'text/html');
    response.end(
      `<form method="post" action="${base}/saml/acs"><input name="SAMLResponse" value="${encode(xml)}"></form><script>document.forms[0].submit()</script>`,
    );
  });
  idp.listen(0, 'localhost');
  await once(idp, 'listening');
  t.after(() => {
    idp.closeAllConnections();
    idp.close();
  });
  const { port } = idp.address() as { port: number };
  const srv = await startSrv({
    plugins: ['auth-saml', 'ui'],
    config: {
      listen_address: base.replace('http://', ''),
      'auth.ui_config.rbac': 'internal',
      'auth.saml.entry_point': `http://localhost:${port}/sso`,
      'auth.saml.idp_issuer': idpIssuer,
      'auth.saml.idp_certificate_file': certificates,
      'auth.saml.callback_base_url': base,
      'auth.saml.default_initial_groups': 'Viewers',
      'auth.saml.installed_in': installedIn('@node-saml/node-saml'),
    },
  });
  t.after(srv.stop);
  const browser = await startChromium();
  t.after(() => browser.close());
  const page = await (await browser.newContext()).newPage();
  page.on('request', request => {
    if (request.method() === 'POST' && request.url() === `${base}/saml/acs`)
      void request.allHeaders().then(({ cookie }) => {
        cookies = cookie;
      });
  });
  await page.goto(`${base}/repositories?sort=name`);
  await page.getByRole('link', { name: 'Log in with single sign-on' }).click();
  await page.waitForURL(`${base}/repositories?sort=name`);
  const user = await page.evaluate(async () => (await fetch('/api/v1/user')).json() as Promise<unknown>);
  assert.equal((user as { user: { id: string } }).user.id, 'ann');
  assert.equal(cookies, undefined);
});
