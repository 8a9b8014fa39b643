/** Tokens for one prefix: what is exchanged for them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { CredentialsFailure } from '../src/server/errors.js';
import { openGsBlockStore } from '../src/server/open.js';
import { downscopedToken } from '../src/server/vend.js';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const hour = 3_600_000;
const request = { mayWrite: false, durationMs: hour };
let server: Server;
let tokenUrl: string;
let answer: { status: number; body: string };
const asked: Record<string, string>[] = [];
before(async () => {
  server = createServer((incoming, response) => {
    void text(incoming).then(body => {
      asked.push(Object.fromEntries(new URLSearchParams(body)));
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  tokenUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/token`;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const expiry = new Date(Date.now() + hour / 2);
const source = async () => ({ token: 'of the server', expiry });
const place = { bucket: 'bucket', key: "repo/it's/a\\b/" };

test('a token is exchanged for one with a boundary, which ends no later', async () => {
  answer = { status: 200, body: JSON.stringify({ access_token: 'limited', expires_in: 7200 }) };
  assert.deepEqual(await downscopedToken(place, request, { source, tokenUrl }), { kind: 'gs', token: 'limited', expiry });
  await downscopedToken(place, { ...request, mayWrite: true }, { source, tokenUrl });
  const [read, write] = asked.map(({ options = '' }) => {
    const { accessBoundary } = JSON.parse(options) as { accessBoundary: { accessBoundaryRules: Record<string, unknown>[] } };
    assert.equal(accessBoundary.accessBoundaryRules.length, 1);
    return accessBoundary.accessBoundaryRules[0];
  });
  assert.deepEqual(read, {
    availableResource: '//storage.googleapis.com/projects/_/buckets/bucket',
    availablePermissions: ['inRole:roles/storage.objectViewer'],
    availabilityCondition: {
      expression:
        "resource.name.startsWith('projects/_/buckets/bucket/objects/repo/it\\'s/a\\\\b/') || " +
        "api.getAttribute('storage.googleapis.com/objectListPrefix', '').startsWith('repo/it\\'s/a\\\\b/')",
    },
  });
  assert.deepEqual(write?.['availablePermissions'], ['inRole:roles/storage.objectViewer', 'inRole:roles/storage.objectCreator']);
  const { subject_token: subject, grant_type: type } = asked[0] ?? {};
  assert.deepEqual([subject, type], ['of the server', 'urn:ietf:params:oauth:grant-type:token-exchange']);
});

test('a refusal, and an answer without a token, are failures of credentials', async () => {
  for (const refused of [
    { status: 400, body: '{"error":"invalid_request"}' },
    { status: 200, body: '{}' },
    { status: 200, body: 'no JSON' },
  ]) {
    answer = refused;
    await assert.rejects(downscopedToken(place, request, { source, tokenUrl }), CredentialsFailure);
  }
  await rejectsWith(() => downscopedToken(place, request, { source, tokenUrl: 'http://127.0.0.1:9/' }), 'unavailable', /does not answer/);
});

test('a store vends where it is configured to', async () => {
  const options = { testEndpointUrl: 'http://127.0.0.1:9' };
  const [plain, store] = [await openGsBlockStore(options), await openGsBlockStore({ ...options, vendedCredentials: true })];
  assert.deepEqual([plain.vend === undefined, store.vend === undefined], [true, false]);
  await Promise.all([plain.close(), store.close()]);
});
