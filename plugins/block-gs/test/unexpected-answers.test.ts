/** Something else than Cloud Storage answers at the endpoint, such as a proxy or the page of a web server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { ScriptedHttp, passOn } from '@srv/test-servers';
import { at, namespace, useGs } from './served.js';
import type { ServerResponse } from 'node:http';

const { server, open } = useGs();
const advice = /something else than Cloud Storage answers at http:\/\/127\.0\.0\.1:\d+ .*; check proxies in between/;

const html = '<html><body>It works</body></html>';
const page = (response: ServerResponse, status: number, body: string): void =>
  void response.writeHead(status, { 'content-type': 'text/html', location: 'http://127.0.0.1:9/' }).end(body);

for (const [name, answer] of [
  ['an HTML page', response => page(response, 200, html)],
  ['nothing', response => page(response, 200, '')],
  ['JSON without members', response => page(response, 200, '{}')],
  ['JSON that is not an object', response => page(response, 200, 'null')],
  ['a redirect', response => page(response, 302, html)],
  ['a redirect to https', response => page(response, 301, html)],
  ['a redirect without a body', response => page(response, 307, '')],
] as const satisfies readonly (readonly [string, (response: ServerResponse) => void])[]) {
  test(`${name} is neither a listing nor a success`, async t => {
    let requests = 0;
    const http = await ScriptedHttp.open((request, response) => {
      requests++;
      request.resume().once('end', () => answer(response));
    });
    t.after(() => http.close());
    const store = await open({ testEndpointUrl: http.url });
    for (const call of [
      () => collect(store.walk(`${namespace}/p/`)),
      () => store.exists(at('x')),
      () => store.put(at('x'), Buffer.from('x')),
      () => store.copy(at('x'), at('y')),
      () => store.listParts(at('x'), '0'.repeat(32)),
    ]) {
      requests = 0;
      await rejectsWith(call, 'unavailable', advice);
      assert.equal(requests, 1);
    }
  });
}

test('a listing is not found only where the service says that the bucket is missing', async t => {
  let isPage = true;
  const http = await ScriptedHttp.open((request, response) =>
    isPage ? page(response, 404, 'default backend - 404') : passOn(server().url, request, response),
  );
  t.after(() => http.close());
  const store = await open({ testEndpointUrl: http.url });
  await rejectsWith(() => collect(store.walk(`${namespace}/p/`)), 'unavailable', advice);
  isPage = false;
  await rejectsWith(() => collect(store.walk('gs://nowhere/')), 'unavailable', /the bucket does not exist/);
  assert.deepEqual(await collect(store.walk(`${namespace}/nothing-is-here/`)), []);
});
