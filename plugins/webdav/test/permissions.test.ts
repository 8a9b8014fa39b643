/** Nothing is read or written that the caller may not. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addUser, hrefsIn, startDav } from './support/server.js';
import type { DavServer } from './support/server.js';

let server: DavServer;
let limited: string;
let outsider: string;
const repo = 'arn:lakefs:fs:::repository/repo';

before(async () => {
  server = await startDav({ 'auth.ui_config.rbac': 'internal' });
  await server.engine.createRepository({ id: 'secret', storageNamespace: 'local://secret' });
  limited = await addUser(server, 'limited', [
    { action: ['fs:ListRepositories', 'fs:ListBranches', 'fs:ListObjects', 'fs:ReadRepository'], resource: repo },
    { action: ['fs:ReadObject', 'fs:WriteObject', 'fs:DeleteObject'], resource: `${repo}/object/mine/*` },
    { action: ['fs:ReadObject'], resource: `${repo}/object/read/*` },
  ]);
  outsider = await addUser(server, 'outsider', []);
  for (const key of ['mine/a', 'others/b', 'read/c', 'mine/sub/d']) await server.engine.putObject('repo', 'main', key, Buffer.from(key));
  await server.engine.putObject('secret', 'main', 'x', Buffer.from('x'));
});
after(() => server.stop());

const as = async (authorization: string, method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  server.dav(method, path, { headers: { authorization, ...headers }, body });
const set = '<propertyupdate xmlns="DAV:"><set><prop><a xmlns="urn:z"/></prop></set></propertyupdate>';
const lockinfo = '<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><locktype><write/></locktype></lockinfo>';

test('reads and writes are decided by object', async () => {
  for (const [method, path, status, headers, body] of [
    ['GET', '/repo/main/mine/a', 200],
    ['GET', '/repo/main/read/c', 200],
    ['GET', '/repo/main/others/b', 403],
    ['HEAD', '/repo/main/others/b', 403],
    ['PUT', '/repo/main/mine/new', 201, {}, 'x'],
    ['PUT', '/repo/main/others/b', 403, {}, 'x'],
    ['PUT', '/repo/main/read/c', 403, {}, 'x'],
    ['PUT', '/repo/main/others/._junk', 403, {}, 'x'],
    ['MKCOL', '/repo/main/others/folder', 403],
    ['DELETE', '/repo/main/read/c', 403],
    ['LOCK', '/repo/main/read/c', 403, {}, lockinfo],
    ['LOCK', '/repo/main/others/new', 403, {}, lockinfo],
    ['UNLOCK', '/repo/main/read/c', 403, { 'lock-token': '<urn:x>' }],
    ['PROPPATCH', '/repo/main/read/c', 403, {}, set],
    ['PROPPATCH', '/repo/main/others/', 403, {}, set],
    ['COPY', '/repo/main/others/b', 403, { destination: '/dav/repo/main/mine/b' }],
    ['COPY', '/repo/main/mine/a', 403, { destination: '/dav/repo/main/read/a' }],
    ['MOVE', '/repo/main/read/c', 403, { destination: '/dav/repo/main/mine/c' }],
    ['COPY', '/repo/main/read/c', 201, { destination: '/dav/repo/main/mine/c' }],
    ['COPY', '/repo/main/others', 403, { destination: '/dav/repo/main/mine/others' }],
    ['COPY', '/secret/main/x', 403, { destination: '/dav/repo/main/mine/x' }],
    ['COPY', '/repo/main/mine/a', 403, { destination: '/dav/secret/main/a' }],
    ['GET', '/secret/main/x', 403],
    ['PROPFIND', '/secret/main/', 403],
    ['PROPFIND', '/secret/', 403],
    ['PROPFIND', '/missing/', 403],
  ] as const)
    assert.equal((await as(limited, method, path, headers, body)).status, status, `${method} ${path}`);
  assert.equal((await server.engine.getEntry('repo', 'main', 'others/b')).size, 8);
});

test('a folder is moved or removed only as far as its objects may be', async () => {
  const { engine } = server;
  for (const key of ['mixed/mine', 'mine/gone/a']) await engine.putObject('repo', 'main', key, Buffer.from('x'));
  const removed = await as(limited, 'DELETE', '/repo/main/mixed');
  assert.equal(removed.status, 207);
  assert.match(removed.body, /<D:href>\/dav\/repo\/main\/mixed\/mine<\/D:href><D:status>HTTP\/1.1 403/);
  assert.equal((await engine.getEntry('repo', 'main', 'mixed/mine')).size, 1);
  assert.equal((await as(limited, 'DELETE', '/repo/main/mine/gone')).status, 204);
  assert.equal((await as(limited, 'MOVE', '/repo/main/mixed', { destination: '/dav/repo/main/mine/mixed' })).status, 403);
  await assert.rejects(engine.getEntry('repo', 'main', 'mine/mixed/mine'), { code: 'not_found' });
});

test('an object that appears in a folder while it is copied is copied only if the caller may read it', async t => {
  const { engine } = server;
  const partial = await addUser(server, 'partial', [
    { action: ['fs:ListRepositories', 'fs:ListBranches', 'fs:ListObjects', 'fs:ReadRepository'], resource: repo },
    { action: ['fs:ReadObject'], resource: `${repo}/object/growing` },
    { action: ['fs:ReadObject'], resource: `${repo}/object/growing/plain` },
    { action: ['fs:WriteObject'], resource: `${repo}/object/copied*` },
  ]);
  await engine.putObject('repo', 'main', 'growing/plain', Buffer.from('plain'));
  const list = engine.list.bind(engine);
  t.mock.method(engine, 'list', async (...request: Parameters<typeof list>) => {
    const page = await list(...request);
    // The list of what is copied.
    if (request[2]?.prefix === 'growing/' && (request[2].amount ?? 0) > 1)
      await engine.putObject('repo', 'main', 'growing/secret', Buffer.from('secret'));
    return page;
  });
  const { status, body } = await as(partial, 'COPY', '/repo/main/growing', { destination: '/dav/repo/main/copied' });
  assert.equal(status, 207, body);
  assert.match(body, /copied\/secret<\/D:href><D:status>HTTP\/1.1 403/);
  assert.equal((await engine.getEntry('repo', 'main', 'copied/plain')).size, 5);
  await assert.rejects(engine.getEntry('repo', 'main', 'copied/secret'), { code: 'not_found' });
});

test('lists show what the caller may list', async () => {
  assert.deepEqual(hrefsIn((await as(limited, 'PROPFIND', '/')).body), ['/dav/', '/dav/repo/']);
  assert.equal((await as(outsider, 'PROPFIND', '/')).status, 403);
  for (const path of ['/repo/', '/repo/main/', '/repo/main/mine/a', '/repo/main/nothing', '/missing/main/x']) {
    for (const method of ['PROPFIND', 'GET', 'HEAD']) assert.equal((await as(outsider, method, path)).status, 403, `${method} ${path}`);
  }
});

test('conditions about what the caller may not see never hold', async () => {
  const { etag } = await server.engine.getEntry('secret', 'main', 'x');
  const header = (tag: string) => ({ if: `</dav/secret/main/x> (["${tag}"])` });
  assert.equal((await as(limited, 'GET', '/repo/main/mine/a', header(etag))).status, 412);
  assert.equal(
    (
      await as(limited, 'GET', '/repo/main/mine/a', {
        if: `</dav/repo/main/mine/a> (["${(await server.engine.getEntry('repo', 'main', 'mine/a')).etag}"])`,
      })
    ).status,
    200,
  );
});

test('protected branches and read-only repositories refuse writes', async () => {
  const { engine, kernel } = server;
  await engine.createRepository({ id: 'frozen', storageNamespace: 'local://frozen', readOnly: true });
  await engine.createBranch('repo', 'guarded', 'main');
  kernel.hooks.guardBranch.tap('test', ({ branch, block }) => void (branch === 'guarded' && block()));
  for (const place of ['/frozen/main', '/repo/guarded']) {
    assert.equal((await server.dav('PUT', `${place}/x`, { body: 'x' })).status, 403);
    assert.equal((await server.dav('MKCOL', `${place}/x`)).status, 403);
    assert.equal((await server.dav('LOCK', `${place}/x`, { body: lockinfo })).status, 403);
    assert.equal((await server.dav('COPY', '/repo/main/mine/a', { headers: { destination: `/dav${place}/a` } })).status, 403);
  }
});

test('each request has an audit line with its user and operation', async () => {
  const lines: Record<string, unknown>[] = [];
  const { kernel } = server;
  kernel.hooks.activity.tap('test', activity => void (activity.class === 'webdav' && lines.push({ ...activity })));
  await as(limited, 'GET', '/repo/main/mine/a');
  assert.deepEqual(
    lines.map(({ name, repository, ref, user }) => [name, repository, ref, user]),
    [['get', 'repo', 'main', 'limited']],
  );
});
