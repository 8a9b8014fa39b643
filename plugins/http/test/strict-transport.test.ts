/** `Strict-Transport-Security` is on every response that came by TLS, and on no other. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get as getPlain } from 'node:http';
import { connect } from 'node:http2';
import { get as getSecure } from 'node:https';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { start } from './support/server.js';
import type { IncomingHttpHeaders } from 'node:http';
import type { TestContext } from 'node:test';

const fixture = (name: string): string => fileURLToPath(new URL(`../../test/fixtures/${name}`, import.meta.url));
const tls = { 'tls.enabled': true, 'tls.cert_file': fixture('test-only-cert.pem'), 'tls.key_file': fixture('test-only-key.pem') };

async function open(t: TestContext, settings: Readonly<Record<string, unknown>>) {
  const route = { method: 'GET', path: '/direct', operationId: 'direct', handle: async () => ({ status: 200, body: 'x' }) };
  const { kernel, address } = await start(hooks => hooks.directRoute.tap('test', add => add(route)), settings);
  t.after(() => kernel.stop());
  return (path: string, headers: Record<string, string> = {}) =>
    new Promise<IncomingHttpHeaders>((resolve, reject) => {
      const url = `${address.url}${path}`;
      const answer = (response: { headers: IncomingHttpHeaders; resume(): unknown }): void => {
        response.resume();
        resolve(response.headers);
      };
      const request = url.startsWith('https:')
        ? getSecure(url, { headers, rejectUnauthorized: false }, answer)
        : getPlain(url, { headers }, answer);
      request.on('error', reject);
    });
}

const name = 'strict-transport-security';

it('is not sent unless it is configured', async t => {
  assert.equal((await (await open(t, tls))('/direct'))[name], undefined);
});

it('is sent over TLS, of the framework, past it, and for what is not there', async t => {
  const headersOf = await open(t, { ...tls, 'tls.hsts_max_age': '24h' });
  for (const path of ['/direct', '/_health', '/nowhere']) assert.equal((await headersOf(path))[name], 'max-age=86400', path);
});

it('is sent over HTTP/2', async t => {
  const { kernel, address } = await start(() => {}, { ...tls, 'tls.hsts_max_age': '24h' });
  t.after(() => kernel.stop());
  const session = connect(address.url, { rejectUnauthorized: false });
  const [headers] = (await once(session.request({ ':path': '/_health' }).resume(), 'response')) as [Record<string, unknown>];
  session.close();
  assert.equal(headers[name], 'max-age=86400');
});

it('is sent without TLS for a proxy that has it, if that is trusted', async t => {
  const settings = { 'tls.hsts_max_age': '24h' };
  const trusted = await open(t, { ...settings, 'http.trusted_proxies': '127.0.0.1' });
  const proto = { 'x-forwarded-proto': 'https' };
  assert.equal((await trusted('/direct', proto))[name], 'max-age=86400');
  assert.equal((await trusted('/direct'))[name], undefined);
  assert.equal((await (await open(t, settings))('/direct', proto))[name], undefined);
});
