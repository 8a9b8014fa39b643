/** How the page is served, without a browser. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startSrv } from '@srv/test-servers';
import { startPrefixProxy } from './support/prefix-proxy.js';
import type { IncomingMessage } from 'node:http';
import type { RunningSrv } from '@srv/test-servers';

interface Got {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Without what `fetch` adds and takes away. */
function get(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
    })
      .on('error', reject)
      .end();
  });
}

const html = { accept: 'text/html,application/xhtml+xml' };
const scriptIn = (page: string): string => /src="(?:\.\/)?(assets\/index-[^"]+\.js)"/.exec(page)?.[1] ?? assert.fail(page);

describe('the page', () => {
  let srv: RunningSrv;
  before(async () => {
    srv = await startSrv({ plugins: ['ui'] });
  });
  after(() => srv.stop());

  it('is the answer to every address that belongs to it', async () => {
    for (const path of [
      '/',
      '/repositories',
      '/repositories/lakes/object?path=a.csv',
      '/repositories/v1.0.x/branches',
      '/auth/login',
      '/repositories/lakes/objects?ref=main&path=%FF',
    ]) {
      const { status, headers, body } = await get(srv.url + path, html);
      assert.equal(status, 200, path);
      assert.match(String(headers['content-type']), /^text\/html/);
      assert.match(body.toString(), /<div id="page">/);
    }
    assert.equal((await get(`${srv.url}/repositories`, html, 'HEAD')).status, 200);
  });

  it('is not the answer to programs, and not below what belongs to others', async () => {
    assert.equal((await get(`${srv.url}/repositories`, { accept: 'application/json' })).status, 404);
    assert.equal((await get(`${srv.url}/repositories`)).status, 404);
    assert.equal((await get(`${srv.url}/repositories`, html, 'POST')).status, 404);
    for (const path of [
      '/api/v1/nothing',
      '/api',
      '/assets/gone-123.js',
      '/assets/',
      '/metrics/x',
      '/_health/x',
      '/oidc/x',
      '/saml/x',
      '/iceberg/x',
      '/mds/x',
    ]) {
      const { status, body } = await get(srv.url + path, html);
      assert.equal(status, 404, path);
      assert.doesNotMatch(body.toString(), /<html/);
    }
    // A client that has a wrong address of the API learns from the page that it is one.
    for (const path of ['/api/v11/config', '/api/nothing']) {
      const { status, headers } = await get(srv.url + path, { accept: 'application/json' });
      assert.deepEqual([status, String(headers['content-type']).split(';')[0]], [200, 'text/html'], path);
    }
    assert.match((await get(`${srv.url}/_health`, html)).body.toString(), /^alive!/);
    assert.equal((await get(`${srv.url}/logout`, html)).status, 307);
  });

  it('is checked again each time, and unchanged for those who have it', async () => {
    const { headers } = await get(`${srv.url}/repositories`, html);
    assert.equal(headers['cache-control'], 'no-cache');
    const etag = String(headers.etag);
    assert.match(etag, /^W\/"/);
    const again = await get(`${srv.url}/repositories`, { ...html, 'if-none-match': etag });
    assert.equal(again.status, 304);
    assert.equal(again.body.length, 0);
    assert.ok(again.headers['content-security-policy']);
  });

  it('lets the browser do nothing but what the page needs', async () => {
    const { headers } = await get(`${srv.url}/`, html);
    const policy = String(headers['content-security-policy']);
    for (const part of [
      "default-src 'none'",
      "script-src 'self' 'wasm-unsafe-eval'",
      "style-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'self'",
      "frame-ancestors 'self'",
      "require-trusted-types-for 'script'",
      'trusted-types srv-worker',
    ])
      assert.ok(policy.split('; ').includes(part), `${part} in ${policy}`);
    assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')|\*/);
    assert.equal(headers['referrer-policy'], 'same-origin');
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['x-frame-options'], 'SAMEORIGIN');
  });

  it('has files that never change under their names, in every encoding', async () => {
    const name = scriptIn((await get(`${srv.url}/`, html)).body.toString());
    const plain = await get(`${srv.url}/${name}`);
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
    // What a worker may do follows from its own script.
    assert.match(
      String(plain.headers['content-security-policy']),
      /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self';/,
    );
    assert.match(String(plain.headers['content-type']), /^text\/javascript/);
    assert.equal(plain.headers['content-encoding'], undefined);
    const br = await get(`${srv.url}/${name}`, { 'accept-encoding': 'gzip, deflate, br' });
    assert.equal(br.headers['content-encoding'], 'br');
    assert.match(String(br.headers.vary), /accept-encoding/i);
    assert.deepEqual(brotliDecompressSync(br.body), plain.body);
    const zipped = await get(`${srv.url}/${name}`, { 'accept-encoding': 'gzip, br;q=0' });
    assert.equal(zipped.headers['content-encoding'], 'gzip');
    assert.deepEqual(gunzipSync(zipped.body), plain.body);
    assert.equal((await get(`${srv.url}/${name}.br`)).status, 404);
    assert.equal((await get(`${srv.url}/assets/..%2findex.html`, html)).status, 404);
  });

  it('works below a prefix that a proxy takes off', async () => {
    const proxy = await startPrefixProxy(srv.url, '/data/lakes');
    try {
      const { origin } = new URL(proxy.url);
      for (const path of ['/data/lakes/', '/data/lakes/repositories', '/data/lakes/repositories/lakes/objects']) {
        const page = (await get(origin + path, html)).body.toString();
        const base = new URL(/<base href="([^"]+)"/.exec(page)?.[1] ?? '', origin + path);
        assert.equal(base.pathname, '/data/lakes/', path);
        assert.equal((await get(new URL(scriptIn(page), base).href)).status, 200);
      }
    } finally {
      await proxy.close();
    }
  });

  it('knows the operations of this server, and no secret', async () => {
    const page = (await get(`${srv.url}/`, html)).body.toString();
    const boot = JSON.parse(/id="boot">([^<]*)</.exec(page)?.[1] ?? '') as { operations: Record<string, unknown> };
    assert.ok(boot.operations['listObjects']);
    assert.equal(boot.operations['listPullRequests'], undefined);
    assert.ok(!page.includes(srv.key.secretAccessKey) && !page.includes('secret for tests'));
  });
});

describe('without the page', () => {
  it('ui.enabled false answers 404, and the API works', async () => {
    const srv = await startSrv({ plugins: ['ui'], config: { 'ui.enabled': false } });
    try {
      for (const path of ['/', '/repositories', '/assets/x.js', '/robots.txt'])
        assert.equal((await get(srv.url + path, html)).status, 404, path);
      assert.equal((await get(`${srv.url}/api/v1/healthcheck`)).status, 204);
    } finally {
      await srv.stop();
    }
  });
});
