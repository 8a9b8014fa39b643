/** Names in paths, escaped once or twice. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeName, encodeName } from '@srv/lib-api';
import fc from 'fast-check';
import { raw, rawUrl } from './support/raw.js';
import { startServer } from './support/server.js';
import type { TestServer } from './support/server.js';

const seed = Number(process.env.SRV_TEST_SEED ?? Date.now() % 2 ** 31);
const twice = (name: string): string => encodeURIComponent(encodeURIComponent(name));
const routed = (segment: string): string => decodeURIComponent(segment);
const anyName = fc
  .array(fc.constantFrom('a', 'B', ' ', '%', '%2', '%20', '%25', '%252F', '/', '+', 'ü', '%C3', '%C3%BC', '😀', '^', '?', '#', '*'), {
    minLength: 1,
    maxLength: 6,
  })
  .map(parts => parts.join(''));

describe(`names in paths, SRV_TEST_SEED=${seed}`, () => {
  it('arrive as they are from clients that escape twice, and from ours', () => {
    fc.assert(
      fc.property(fc.oneof(anyName, fc.string({ unit: 'grapheme' })), name => {
        assert.equal(decodeName(routed(twice(name))), name);
        assert.equal(decodeName(routed(encodeName(name))), name);
      }),
      { seed, numRuns: 2000 },
    );
  });

  it('keep what is not an escape', () => {
    for (const name of ['100%', '50%zz', 'a%C3b', '%E0%A4%A', 'a b']) {
      assert.equal(decodeName(name), name);
      assert.equal(encodeName(name), encodeURIComponent(name));
    }
  });
});

describe('the API', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({ mode: 'internal' });
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'mem://bucket/lakes' } });
  });
  after(() => server.stop());

  it('refuses a query that is not UTF-8, in which one name would stand for many', async () => {
    // The second one is not answered directly.
    for (const headers of [{}, { 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }])
      for (const prefix of ['%FF', 'a%ED%A0%80', '%zz%C3']) {
        const { status, text } = await raw(server, 'GET', `/repositories?prefix=${prefix}`, { headers });
        assert.deepEqual([status, text], [400, '{"message":"the query has escapes that are not UTF-8"}\n'], prefix);
      }
    for (const prefix of ['%C3%BC', '%zz', '%zz%C3%BC', '%'])
      assert.equal((await raw(server, 'GET', `/repositories?prefix=${prefix}`)).status, 200, prefix);
  });

  it('finds expressions and names however often they are escaped', async () => {
    for (const at of ['main%7E0', 'main%257E0', 'main~0']) {
      // The engine of this server knows no expressions: it names what it was asked for.
      const { status, text } = await raw(server, 'GET', `/repositories/lakes/refs/${at}/commits`);
      assert.equal(status, 404, at);
      assert.match(text, /main~0/, at);
    }
    for (const id of ['with space', 'ü', 'a+b', 'x@y.z', 'q?#']) {
      await server.admin.createUser({ body: { id } });
      await server.admin.createGroup({ body: { id } });
      for (const [what, escaped] of Object.entries({ twice, ours: encodeName })) {
        const found = await raw(server, 'GET', `/auth/users/${escaped(id)}`);
        assert.deepEqual([found.status, (JSON.parse(found.text) as { id: string }).id], [200, id], `${what} ${id}`);
        const membership = `/auth/groups/${escaped(id)}/members/${escaped(id)}`;
        assert.equal((await raw(server, 'PUT', membership)).status, 201, `${what} ${id}`);
        assert.equal((await raw(server, 'DELETE', membership)).status, 204, `${what} ${id}`);
      }
    }
    for (const id of ['50%', 'a%20b', '%', '%25', 'ü%C3']) {
      await server.admin.createTag({ repository: 'lakes', body: { id, ref: 'main' } });
      assert.equal((await server.admin.getTag({ repository: 'lakes', tag: id })).id, id);
      assert.equal((await raw(server, 'GET', `/repositories/lakes/tags/${twice(id)}`)).status, 200, id);
    }
  });

  it('asks for permission on the name that is used', async () => {
    const { admin } = server;
    await admin.createUser({ body: { id: 'limited' } });
    const secret = 'secret';
    const statement = (name: string, effect: 'allow' | 'deny') => ({
      effect,
      action: ['auth:*'],
      resource: `arn:lakefs:auth:::user/${name}`,
    });
    const { id: policyId } = await admin.createPolicy({
      body: { id: 'names', statement: [statement('*', 'allow'), statement('hidden one', 'deny'), statement('a%20b', 'deny')] },
    });
    await admin.attachPolicyToUser({ userId: 'limited', policyId });
    await admin.createUser({ body: { id: 'hidden one' } });
    await admin.createUser({ body: { id: 'a b' } });
    await server.kernel.services.get('auth').createCredential('limited', { accessKeyId: 'limited', secretAccessKey: secret });
    const authorization = `Basic ${Buffer.from(`limited:${secret}`).toString('base64')}`;
    const statusOf = async (segment: string) =>
      (await rawUrl(server, 'GET', `/api/v1/auth/users/${segment}`, { headers: { authorization } })).status;
    for (const segment of ['hidden%20one', 'hidden%2520one', 'hidden%20on%65', 'hidden%2520on%2565', '%2568idden%20one'])
      assert.equal(await statusOf(segment), 401, segment);
    // Never decoded a third time: this is another name, which does not exist.
    assert.equal(await statusOf('hidden%252520one'), 404);
    assert.equal(await statusOf('a%252520b'), 401);
    assert.equal(await statusOf('a%2520b'), 200);
  });

  it('validates the name that is used', async () => {
    for (const branch of ['a%252Fb', 'a%2520b', 'main%255E', '%252e%252e'])
      assert.equal((await raw(server, 'GET', `/repositories/lakes/branches/${branch}`)).status, 400, branch);
    assert.equal((await raw(server, 'GET', '/repositories/lakes%252Fx/branches')).status, 400);
    assert.equal((await raw(server, 'GET', '/repositories/l%2561kes/branches/m%2561in')).status, 200);
  });

  it('says which name is missing', async () => {
    for (const [method, path, parameter] of [
      ['GET', '/repositories//branches', 'repository'],
      ['GET', '/repositories/lakes/branches/', 'branch'],
      ['POST', '/repositories//branches/main/commits', 'repository'],
      ['GET', '/repositories/lakes/refs//objects/ls?prefix=a//b', 'ref'],
      ['DELETE', '/auth/users//credentials/x', 'userId'],
    ] as const) {
      const { status, text } = await raw(server, method, path);
      assert.deepEqual(
        [status, JSON.parse(text)],
        [400, { message: `parameter "${parameter}" in path has an error: value is required but missing` }],
        path,
      );
    }
    for (const path of ['/repositories/lakes//branches', '//', '/nothing//x'])
      assert.equal((await raw(server, 'GET', path)).status, 404, path);
  });
});
