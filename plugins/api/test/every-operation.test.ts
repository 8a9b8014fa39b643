/** Every operation, called over a real connection on things that exist: none fails, and none leaves its caller without an answer. */
import assert from 'node:assert/strict';
import { Agent, request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { basePath } from '@srv/lib-api';
import { bodies, parameters, streams } from './support/example-requests.js';
import { operationList } from './support/operations.js';
import { basic } from './support/raw.js';
import { startWholeServer } from './support/whole-server.js';
import type { AnyOperation } from '@srv/lib-api';
import type { WholeServer } from './support/whole-server.js';

/** Reading operations first, those that take away what the others need last. */
const order = ['HEAD', 'GET', 'PUT', 'POST', 'DELETE'];
const last = ['deleteUser', 'deleteRepository'];
const rank = ({ method, operationId }: AnyOperation): number => order.indexOf(method) + (last.includes(operationId) ? order.length : 0);
const operations = operationList.toSorted((a, b) => rank(a) - rank(b));

describe('every operation', () => {
  let server: WholeServer;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let values: Readonly<Record<string, string>> = {};

  before(async () => {
    server = await startWholeServer({ mode: 'internal' });
    const { admin } = server;
    await admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    const at = { repository: 'lakes', branch: 'main' };
    await admin.uploadObject({ ...at, path: 'a/b', body: 'content' });
    const { id: commitId } = await admin.commit({ ...at, body: { message: 'first' } });
    await admin.createBranch({ repository: 'lakes', body: { name: 'dev', source: 'main' } });
    await admin.createTag({ repository: 'lakes', body: { id: 'v1', ref: 'main' } });
    await admin.createUser({ body: { id: 'ann' } });
    await admin.createGroup({ body: { id: 'team' } });
    const { meta_range_id: metaRange } = await admin.getCommit({ repository: 'lakes', commitId });
    const range = await rangeOf(metaRange);
    values = {
      ...parameters,
      repository: 'lakes',
      commitId,
      meta_range: metaRange,
      range,
      object_id: range,
      userId: 'ann',
      groupId: 'team',
      policyId: 'FSReadAll',
    };
  });
  after(async () => {
    agent.destroy();
    await server.stop();
  });

  it('is among them', () => assert.ok(operations.length > 100, `${operations.length} operations`));

  for (const operation of operations) {
    it(`${operation.operationId} is answered without a fault`, async () => {
      const { status, text } = await call(operation);
      assert.ok(status < 500 || status === 501, `${operation.method} ${operation.path}: ${status} ${text}`);
    });
  }

  it('getMetadataObject streams ranges and metaranges, with their length', async () => {
    const operation = operations.find(({ operationId }) => operationId === 'getMetadataObject') ?? assert.fail('no such operation');
    const { admin } = server;
    await admin.createRepository({ body: { name: 'again', storage_namespace: 'local://again' } });
    await admin.uploadObject({ repository: 'again', branch: 'main', path: 'x', body: 'x' });
    const { meta_range_id: metaRange } = await admin.commit({ repository: 'again', branch: 'main', body: { message: 'm' } });
    for (const [type, object_id] of [
      ['meta_range', metaRange],
      ['range', await rangeOf(metaRange, 'again')],
    ] as const) {
      const { status, text, length } = await call(operation, { repository: 'again', type, object_id });
      assert.equal(status, 200);
      assert.equal(length, String(text.length));
      // The magic number at the end of a sorted table.
      assert.equal(Buffer.from(text.slice(-8), 'latin1').toString('hex'), 'f7cff485b741e288');
    }
  });

  /** The first range of a metarange, from the entry of the file it lies in. */
  async function rangeOf(metaRange: string, repository = 'lakes'): Promise<string> {
    const committed = server.kernel.services.get('engine').tables;
    const { storageNamespace } = await server.kernel.services.get('engine').getRepository(repository);
    for await (const [first] of committed.ranges(storageNamespace, metaRange)) if (first) return first.id;
    throw new Error('the metarange has no range');
  }

  async function call(operation: AnyOperation, more: Readonly<Record<string, string>> = {}) {
    const given = { ...values, ...more };
    const exampleOf = (name: string): string => given[name] ?? assert.fail(`no example value of ${name}`);
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(exampleOf(name)));
    const names = Object.keys(operation.query ?? {}).filter(name => given[name] !== undefined && name !== 'id');
    const query = new URLSearchParams(names.map((name): [string, string] => [name, exampleOf(name)]));
    const { operationId, body } = operation;
    const bytes =
      body === 'stream'
        ? (streams[operationId] ?? Buffer.from('x'))
        : body === undefined
          ? undefined
          : Buffer.from(JSON.stringify(bodies[operationId] ?? {}));
    return new Promise<{ status: number; text: string; length: string | undefined }>((resolve, reject) => {
      const outgoing = httpRequest(`${server.url}${basePath}${path}?${query.toString()}`, {
        method: operation.method,
        agent,
        headers: {
          authorization: basic,
          ...(bytes
            ? { 'content-type': body === 'stream' ? 'application/octet-stream' : 'application/json', 'content-length': bytes.length }
            : {}),
        },
      });
      outgoing.on('error', reject);
      outgoing.on('response', response => {
        const { statusCode: status = 0, headers } = response;
        buffer(response).then(found => resolve({ status, text: found.toString('latin1'), length: headers['content-length'] }), reject);
      });
      outgoing.end(bytes);
    });
  }
});
