import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { basePath } from '@srv/lib-api';
import { bodies, parameters, streams } from './support/example-requests.js';
import { operationList } from './support/operations.js';
import { startServer } from './support/server.js';
import type { AnyOperation, OperationContext } from '@srv/lib-api';
import type { TestServer } from './support/server.js';

/** Open to any authenticated user, or answering per item. */
const withoutPermission: Readonly<Record<string, number>> = {
  getConfig: 200,
  releaseTokenToMailbox: 400,
  renewToken: 400,
  getLakeFSVersion: 200,
  getGarbageCollectionConfig: 200,
  postStatsEvents: 204,
  getCurrentUser: 200,
  deleteObjects: 200,
  uploadObjects: 200,
};

/** Methods of the engine that change nothing. */
const reads = /^(get|list|diff|log|find|open|check|metadataLocation)/;

function urlOf(server: TestServer, { path, query = {} }: AnyOperation): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '');
  const asked = Object.entries(query).filter(([name, field]) => field._flags.presence === 'required' && parameters[name] !== undefined);
  return `${server.url}${basePath}${filled}?${new URLSearchParams(asked.map(([name]): [string, string] => [name, parameters[name] ?? ''])).toString()}`;
}

function send(server: TestServer, operation: AnyOperation, headers: Record<string, string> = {}): Promise<Response> {
  const body = operation.body === 'stream' ? (streams[operation.operationId] ?? 'bytes') : JSON.stringify(bodies[operation.operationId]);
  return fetch(urlOf(server, operation), {
    method: operation.method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': operation.body === 'stream' ? 'text/plain' : 'application/json' }),
      ...headers,
    },
    ...(body === undefined || operation.method === 'GET' || operation.method === 'HEAD' ? {} : { body }),
  });
}

/** Whether the mode of the server has what the operation is about. */
function isSupported({ kernel: { services } }: TestServer, { supported }: AnyOperation): boolean {
  return supported === undefined || supported({ services } as Pick<OperationContext, 'services'> as OperationContext);
}

for (const mode of ['internal', 'simplified'] as const) {
  describe(`access to every operation in mode ${mode}`, () => {
    let server: TestServer;
    let authorization = '';
    before(async () => {
      server = await startServer({ mode });
      await server.admin.createUser({ body: { id: 'nobody' } });
      const { access_key_id, secret_access_key } = await server.admin.createCredentials({ userId: 'nobody' });
      authorization = `Basic ${Buffer.from(`${access_key_id}:${secret_access_key}`).toString('base64')}`;
    });
    after(() => server.stop());

    for (const operation of operationList) {
      const { operationId, access = 'user', method } = operation;
      if (access === 'public') {
        it(`${operationId} ignores bad credentials`, async () => {
          const response = await send(server, operation, { authorization: 'Bearer nonsense' });
          if (operationId !== 'login') assert.notEqual(response.status, 401);
        });
        continue;
      }

      it(`${operationId} refuses bad credentials`, async () => {
        for (const bad of ['Bearer nonsense', `Basic ${Buffer.from('a:b').toString('base64')}`]) {
          const response = await send(server, operation, { authorization: bad });
          assert.equal(response.status, 401);
          if (method !== 'HEAD') assert.equal(await response.text(), '{"message":"error authenticating request"}\n');
        }
      });

      if (access === 'user') {
        it(`${operationId} rejects callers without credentials`, async () => {
          server.calls.length = 0;
          const response = await send(server, operation);
          assert.equal(response.status, 401);
          assert.equal(await response.text(), method === 'HEAD' ? '' : '{"message":"error authenticating request"}\n');
          assert.deepEqual(server.calls, []);
        });
      }

      it(`${operationId} rejects callers without permission`, async () => {
        server.calls.length = 0;
        const response = await send(server, operation, { authorization });
        const text = await response.text();
        const open = withoutPermission[operationId];
        assert.deepEqual(
          server.calls.filter(call => !reads.test(call)),
          [],
        );
        if (!isSupported(server, operation)) {
          assert.equal(response.status, 501);
        } else if (open !== undefined) {
          assert.equal(response.status, open);
          if (operationId === 'deleteObjects') {
            const { errors } = JSON.parse(text) as { errors: { status_code: number; message: string }[] };
            assert.deepEqual(
              errors.map(e => [e.status_code, e.message]),
              [
                [401, 'Unauthorized'],
                [401, 'Unauthorized'],
              ],
            );
          }
          if (operationId === 'uploadObjects')
            assert.deepEqual(JSON.parse(text), { results: [{ path: 'a/b', status_code: 401, message: 'Unauthorized' }] });
        } else {
          assert.equal(response.status, 401, text);
          if (method !== 'HEAD')
            assert.match(
              text,
              operationId === 'listRepositories'
                ? /"insufficient permissions"/
                : /"insufficient permissions: not allowed to [a-z]+:[A-Z]\w+(?: on (?:\*|arn:lakefs:[^ "]+))?"/,
            );
          assert.deepEqual(server.calls, []);
        }
      });
    }
  });
}
