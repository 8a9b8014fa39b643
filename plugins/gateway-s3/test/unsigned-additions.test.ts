/** Whatever can be added to a signed request without its signature noticing must not make another request of it. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { presigned } from './support/presigned.js';
import { send } from './support/raw.js';
import { accessKeyId, createRepository, secretAccessKey, startServer } from './support/server.js';
import { signers } from './support/signers.js';
import type { RawAnswer, RawRequest } from './support/raw.js';
import type { TestServer } from './support/server.js';
import type { Unsigned } from './support/signers.js';

let server: TestServer;
before(async () => {
  server = await startServer();
  for (const name of ['repo', 'other']) await createRepository(server, name);
  for (const name of ['repo', 'other']) await ask({ method: 'PUT', url: `/${name}/main/secret`, body: 'secret' });
});
after(() => server.stop());
beforeEach(async () => void (await ask({ method: 'PUT', url: '/repo/main/inbox', body: 'before' })));

const ask = (request: RawRequest): Promise<RawAnswer> => send(server.port, request);
const inbox = (): Promise<RawAnswer> => ask({ url: '/repo/main/inbox' });
const upload: Unsigned = { method: 'PUT', path: '/repo/main/inbox', query: [], headers: {}, body: Buffer.from('upload') };

/** @param added to the query of the signed request. */
function signedBy(kind: string, added = '', request = upload): RawRequest {
  const signer = signers.find(({ name }) => name === kind) ?? assert.fail(`a signer of ${kind}`);
  const { method, url, headers, body } = signer.sign(request, { host: `127.0.0.1:${server.port}`, secret: secretAccessKey });
  return { method, url: added === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${added}`, headers, body, signed: false };
}

const basic = Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64');
const copy = 'x-amz-copy-source=other/main/secret';
const dummies = ['', 'X-Amz-Signature=1&', 'X-Amz-Signature=1&X-Amz-Signature=2&', 'x-amz-signature=1&'];

for (const { name } of signers)
  test(`${name}: parameters added to an upload neither copy nor describe`, async () => {
    for (const dummy of dummies) {
      const copied = await ask(signedBy(name, dummy + copy));
      assert.ok(copied.status >= 400 && copied.status < 500, `${dummy}: ${copied.status} ${copied.body}`);
      assert.notEqual((await inbox()).body, 'secret', dummy);
      await ask(signedBy(name, `${dummy}x-amz-meta-owner=root&x-amz-tagging=a%3Db`));
      const { headers } = await inbox();
      assert.deepEqual([headers['x-amz-meta-owner'], headers['x-amz-tagging-count']], [undefined, undefined], dummy);
    }
  });

test('parameters of version 4 beside a signature of version 2 are not taken for signed ones', async () => {
  for (const added of [
    `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=1&${copy}`,
    `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${accessKeyId}&X-Amz-Signature=1&${copy}`,
    `x-amz-algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=1&${copy}`,
  ]) {
    for (const kind of ['version 2 query', 'version 2 header', 'timestamp query']) {
      const { status } = await ask(signedBy(kind, added));
      assert.ok(status >= 400 && status < 500, `${kind} ${added}: ${status}`);
      assert.equal((await inbox()).body, 'before', `${kind} ${added}`);
    }
  }
});

test('parameters of a URL do not become headers of a request with a password', async () => {
  const headers = { authorization: `Basic ${basic}`, host: 's3.localhost' };
  const added = await ask({ method: 'PUT', url: `/repo/main/inbox?X-Amz-Signature=1&${copy}`, headers, body: '', signed: false });
  assert.deepEqual([added.status, (await inbox()).body], [405, 'before']);
});

test('headers in the signed query of a version 4 URL still count', async () => {
  const url = presigned(server.port, { method: 'PUT', path: '/repo/main/inbox', query: { 'x-amz-copy-source': 'other/main/secret' } });
  assert.equal((await ask(url)).status, 200);
  assert.equal((await inbox()).body, 'secret');
});

test('the timestamp query signs no headers: it copies within a repository only', async () => {
  const copyFrom = async (repository: string, query: Unsigned['query'] = []): Promise<RawAnswer> => {
    const { headers, ...request } = signedBy('timestamp query', '', { ...upload, query });
    return ask({ ...request, headers: { ...headers, 'x-amz-copy-source': `${repository}/main/secret` }, body: '' });
  };
  const refused = await copyFrom('other');
  assert.deepEqual([refused.status, refused.code], [403, 'AccessDenied']);
  assert.match(refused.body, /other.* is another bucket, and x-amz-copy-source is not signed: sign the request in version 4/);
  assert.equal((await inbox()).body, 'before');
  const created = await ask({ method: 'POST', url: '/repo/main/inbox?uploads' });
  const uploadId = /<UploadId>([^<]+)/.exec(created.body)?.[1] ?? assert.fail(created.body);
  const part: Unsigned['query'] = [
    ['partNumber', '1'],
    ['uploadId', uploadId],
  ];
  assert.equal((await copyFrom('other', part)).code, 'AccessDenied');
  assert.equal((await copyFrom('repo', part)).status, 200);
  assert.equal((await copyFrom('repo')).status, 200);
  assert.equal((await inbox()).body, 'secret');
});
