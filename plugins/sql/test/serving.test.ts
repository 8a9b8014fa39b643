/** The files of the part, as the page's plugin serves them. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startSrv } from '@srv/test-servers';
import type { IncomingHttpHeaders } from 'node:http';
import type { RunningSrv } from '@srv/test-servers';

const folder = fileURLToPath(new URL('../part/assets/', import.meta.url));
const nameOf = (pattern: RegExp): string => readdirSync(folder).find(name => pattern.test(name)) ?? assert.fail(`no ${pattern.source}`);

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Without what `fetch` adds and takes away. */
function get(url: string, encoding = '', method = 'GET'): Promise<Got> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers: { 'accept-encoding': encoding } }, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
    })
      .on('error', reject)
      .end();
  });
}

describe('files of the part', () => {
  let srv: RunningSrv;
  before(async () => {
    srv = await startSrv({ plugins: ['ui', 'sql'] });
  });
  after(() => srv.stop());

  it('are served compressed, as they were built', async () => {
    const name = nameOf(/\.wasm$/);
    const whole = readFileSync(folder + name);
    for (const [encoding, decode] of [
      ['gzip, deflate, br', brotliDecompressSync],
      ['gzip', gunzipSync],
      ['', (body: Buffer) => body],
    ] as const) {
      const { status, headers, body } = await get(`${srv.url}/assets/sql/${name}`, encoding);
      assert.equal(status, 200);
      assert.ok(decode(body).equals(whole), encoding);
      assert.equal(Number(headers['content-length']), body.length);
      assert.equal(headers['content-encoding'], encoding === '' ? undefined : encoding === 'gzip' ? 'gzip' : 'br');
      assert.equal(headers['content-type'], 'application/wasm');
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    }
    const head = await get(`${srv.url}/assets/sql/${name}`, 'gzip', 'HEAD');
    assert.deepEqual([head.status, head.body.length], [200, 0]);
  });

  it('of scripts forbid connections; the page keeps its own policy', async () => {
    const { headers } = await get(`${srv.url}/assets/sql/${nameOf(/^worker-.*\.js$/)}`);
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src blob:; require-trusted-types-for 'script'; trusted-types 'none'",
    );
    const page = await get(`${srv.url}/`);
    assert.match(String(page.headers['content-security-policy']), /connect-src 'self';.*worker-src 'self';.*trusted-types srv-worker$/);
    assert.match(page.body.toString(), /"plugin":"sql","description":\{/);
  });

  it('are not there without the page, or with the part switched off', async () => {
    for (const plugins of [['sql'], ['ui']]) {
      const other = await startSrv({ plugins });
      try {
        assert.equal((await get(`${other.url}/assets/sql/${nameOf(/\.wasm$/)}`)).status, 404);
        assert.equal((await get(`${other.url}/_health`)).status, 200);
        assert.doesNotMatch((await get(`${other.url}/`)).body.toString(), /"plugin":"sql"/);
      } finally {
        await other.stop();
      }
    }
  });

  it('are those of the folder only', async () => {
    for (const name of ['sql/none.js', `sql/${nameOf(/\.wasm$/)}.br`, 'sql/../page.json', 'sql/%2e%2e/page.json', 'sql/', 'none/worker.js'])
      assert.equal((await get(`${srv.url}/assets/${name}`)).status, 404, name);
  });
});
