/** Names of metadata that mean something to the language are names like any other. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { raw } from './support/raw.js';
import { startWholeServer } from './support/whole-server.js';
import type { WholeServer } from './support/whole-server.js';

const names = ['', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'plain'];
const metadata = `{${names.map(name => `${JSON.stringify(name)}: ${JSON.stringify(`value of ${name}`)}`).join(', ')}}`;
const at = { repository: 'lakes', branch: 'main' };

describe('metadata of any name', () => {
  let server: WholeServer;
  before(async () => {
    server = await startWholeServer();
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  });
  after(() => server.stop());

  /** Requests past the framework, and through it. */
  const ways = [{}, { 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }];

  it('is kept by commits, repositories, objects and branches', async () => {
    for (const [i, headers] of ways.entries()) {
      const send = async (method: string, path: string, body: string): Promise<string> => {
        const { status, text } = await raw(server, method, path, { headers: { 'content-type': 'application/json', ...headers }, body });
        assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
        return text;
      };
      await server.admin.uploadObject({ ...at, path: `o${i}`, body: 'x' });
      await send('PUT', `/repositories/lakes/branches/main/objects/stat/user_metadata?path=o${i}`, `{"set": ${metadata}}`);
      assertKept((await raw(server, 'GET', `/repositories/lakes/refs/main/objects/stat?path=o${i}`)).text);
      const commit = JSON.parse(
        await send('POST', '/repositories/lakes/branches/main/commits', `{"message": "m", "metadata": ${metadata}}`),
      ) as { id: string };
      assertKept((await raw(server, 'GET', `/repositories/lakes/commits/${commit.id}`)).text);
      assertKept((await raw(server, 'GET', `/repositories/lakes/refs/${commit.id}/objects/stat?path=o${i}`)).text);
      await send('POST', '/repositories/lakes/metadata', `{"metadata": ${metadata}}`);
      const { text } = await raw(server, 'GET', '/repositories/lakes/metadata');
      assertKept(`{"metadata": ${text}}`);
    }
  });

  it('must be texts all the same, and no object becomes a prototype', async () => {
    for (const headers of ways)
      for (const body of ['{"message": "m", "metadata": {"__proto__": 7}}', '{"message": "m", "metadata": {"__proto__": {"a": "b"}}}']) {
        const { status } = await raw(server, 'POST', '/repositories/lakes/branches/main/commits', {
          headers: { 'content-type': 'application/json', ...headers },
          body,
        });
        assert.equal(status, 400, body);
      }
    assert.equal(({} as { a?: string }).a, undefined);
  });
});

function assertKept(text: string): void {
  const { metadata: found } = JSON.parse(text) as { metadata: Record<string, string> };
  const expected = JSON.parse(metadata) as Record<string, string>;
  assert.deepEqual(Object.entries(found).toSorted(byName), Object.entries(expected).toSorted(byName), text);
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}
