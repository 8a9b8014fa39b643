/** Locks on the wire, and in the store. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { holds, parseIf } from '../src/server/locks/if-header.js';
import { LockStore } from '../src/server/locks/lock-store.js';
import { addUser, lockPath, startDav } from './support/server.js';
import type { Lock } from '../src/server/locks/lock.js';
import type { DavServer } from './support/server.js';

let server: DavServer;
before(async () => {
  server = await startDav({ 'auth.ui_config.rbac': 'internal' });
});
after(() => server.stop());

const dav: DavServer['dav'] = (...args) => server.dav(...args);
const statusOf = async (...args: Parameters<DavServer['dav']>): Promise<number> => (await dav(...args)).status;

test('a lock on an unmapped URL makes an empty file whose tag stays', async () => {
  const locked = await lockPath(server, '/repo/main/new.txt', { headers: { timeout: 'Infinite, Second-4100000000' } });
  assert.equal(locked.status, 201);
  assert.match(locked.body, /<D:owner>ann &amp; co<\/D:owner>/);
  assert.match(locked.body, /<D:timeout>Second-3600<\/D:timeout>/);
  const etag = String((await dav('HEAD', '/repo/main/new.txt')).headers.etag);
  assert.equal(await statusOf('PUT', '/repo/main/new.txt', { body: 'x' }), 423);
  assert.equal(
    await statusOf('PUT', '/repo/main/new.txt', { body: 'x', headers: { if: `(<${locked.token}> [${etag}])`, 'if-match': etag } }),
    204,
  );
  assert.equal(await statusOf('UNLOCK', '/repo/main/new.txt', { headers: { 'lock-token': `<${locked.token}>` } }), 204);
  assert.equal(await statusOf('UNLOCK', '/repo/main/new.txt', { headers: { 'lock-token': `<${locked.token}>` } }), 409);
  assert.equal(await statusOf('PUT', '/repo/main/new.txt', { body: 'y' }), 204);
});

test('a lock is either exclusive or shared', async () => {
  for (const scope of ['<exclusive/><shared/>', '', '<other/>']) {
    const body = `<lockinfo xmlns="DAV:"><lockscope>${scope}</lockscope><locktype><write/></locktype></lockinfo>`;
    assert.equal(await statusOf('LOCK', '/repo/main/scope', { body }), 400, scope);
  }
});

test('the token of a lock is of use to its user alone', async () => {
  const other = await addUser(server, 'other', [{ action: ['fs:*'], resource: '*' }]);
  const { token } = await lockPath(server, '/repo/main/mine');
  const headers = { authorization: other, if: `(<${token}>)`, 'lock-token': `<${token}>` };
  for (const method of ['PUT', 'DELETE', 'PROPPATCH', 'UNLOCK'])
    assert.equal(
      await statusOf(method, '/repo/main/mine', {
        headers,
        body: method === 'PROPPATCH' ? '<propertyupdate xmlns="DAV:"><set><prop><a/></prop></set></propertyupdate>' : undefined,
      }),
      method === 'UNLOCK' ? 403 : 423,
      method,
    );
  assert.equal(await statusOf('LOCK', '/repo/main/mine', { headers }), 412, 'refresh');
  assert.equal(await statusOf('UNLOCK', '/repo/main/mine', { headers: { 'lock-token': `<${token}>` } }), 204);
});

test('a lock of a folder covers its members, and their coming and going', async () => {
  await dav('MKCOL', '/repo/main/folder');
  await dav('PUT', '/repo/main/folder/old', { body: 'x' });
  const deep = await lockPath(server, '/repo/main/folder');
  assert.equal(await statusOf('PUT', '/repo/main/folder/old', { body: 'y' }), 423);
  assert.equal((await lockPath(server, '/repo/main/folder/old')).status, 423);
  assert.equal(await statusOf('MKCOL', '/repo/main/folder/new'), 423);
  assert.equal(await statusOf('MOVE', '/repo/main/folder/old', { headers: { destination: '/dav/repo/main/gone' } }), 423);
  assert.equal(
    await statusOf('PUT', '/repo/main/folder/old', { body: 'y', headers: { if: `</dav/repo/main/folder> (<${deep.token}>)` } }),
    204,
  );
  assert.equal(await statusOf('DELETE', '/repo/main/folder', { headers: { if: `(<${deep.token}>)` } }), 204);
  assert.equal((await lockPath(server, '/repo/main/folder/x')).status, 409, 'the lock is gone with the folder');

  await dav('MKCOL', '/repo/main/flat');
  await dav('PUT', '/repo/main/flat/old', { body: 'x' });
  const flat = await lockPath(server, '/repo/main/flat', { headers: { depth: '0' } });
  assert.equal(await statusOf('PUT', '/repo/main/flat/old', { body: 'y' }), 204);
  assert.equal(await statusOf('PUT', '/repo/main/flat/new', { body: 'y' }), 423);
  assert.equal(await statusOf('DELETE', '/repo/main/flat/old'), 423);
  assert.equal((await lockPath(server, '/repo/main/')).status, 423, 'a folder above with a lock below');
  await dav('UNLOCK', '/repo/main/flat', { headers: { 'lock-token': `<${flat.token}>` } });
});

test('shared locks allow one another and exclude exclusive ones', async () => {
  const [one, two] = [
    await lockPath(server, '/repo/main/shared', { scope: 'shared' }),
    await lockPath(server, '/repo/main/shared', { scope: 'shared' }),
  ];
  assert.deepEqual([one.status, two.status], [201, 200]);
  assert.equal((await lockPath(server, '/repo/main/shared')).status, 423);
  assert.match((await dav('PROPFIND', '/repo/main/shared', { headers: { depth: '0' } })).body, /activelock.*activelock.*activelock/s);
  assert.equal(await statusOf('PUT', '/repo/main/shared', { body: 'x', headers: { if: `(<${two.token}>)` } }), 204);
});

test('the header If is evaluated, and refused where it cannot be read', async () => {
  const state = async (resource?: string) => (resource === undefined ? { etag: '"e"', tokens: ['urn:a'] } : { tokens: [] });
  for (const [header, expected] of [
    ['(<urn:a>)', true],
    ['(<urn:b>)', false],
    ['(<urn:b>) (Not <DAV:no-lock>)', true],
    ['(<urn:a> ["e"])', true],
    ['(<urn:a> ["f"])', false],
    ['(Not ["f"] <urn:a>)', true],
    ['</other> (<urn:a>)', false],
    ['</other> (Not <urn:a>)', true],
  ] as const)
    assert.equal(await holds(parseIf(header), state), expected, header);
  for (const header of ['', '(', '()', '(<a)', '(a)', '<a>', '(<a>', '(["e")', 'Not (<a>)', `${'(<a>)'.repeat(200)}`])
    assert.throws(() => parseIf(header), { status: 400 }, header);
  assert.equal(await statusOf('GET', '/repo/main/new.txt', { headers: { if: '(' } }), 400);
});

test('beyond maxLocks: a further one is refused, until one has expired', async () => {
  const { kernel, engine } = server;
  let now = Date.now();
  const store = new LockStore(kernel.services.get('kv'), () => now);
  const repository = await engine.getRepository('repo');
  const wanted = (path: string, timeout = 3600): Omit<Lock, 'token' | 'expires'> => ({
    path,
    depth: '0',
    scope: 'exclusive',
    owner: '',
    user: 'admin',
    timeout,
  });
  const none = (): void => undefined;
  for (let i = 0; i < 1000; i++)
    await kernel.services
      .get('kv')
      .set(
        `repo-${repository.instanceUid}`,
        Buffer.from(`webdav-locks/dev/urn:${i}`),
        Buffer.from(
          JSON.stringify({ ...wanted(`p${i}`, i === 0 ? 10 : 3600), token: `urn:${i}`, expires: now + (i === 0 ? 10_000 : 3_600_000) }),
        ),
      );
  await assert.rejects(store.grant(repository, 'dev', wanted('more'), none), { status: 503 });
  now += 11_000;
  await store.grant(repository, 'dev', wanted('more'), none);
  now += 3_700_000;
  assert.deepEqual(await store.list(repository, 'dev'), []);
  await store.clean(repository);
  assert.equal(await kernel.services.get('kv').get(`repo-${repository.instanceUid}`, Buffer.from('webdav-locks/dev/urn:5')), undefined);
});

test('a lock of a newer release whose depth and scope are unknown protects most, and does not stop other changes', async () => {
  const { kernel, engine } = server;
  const { instanceUid } = await engine.getRepository('repo');
  const [kv, key] = [kernel.services.get('kv'), Buffer.from('webdav-locks/main/urn:newer')];
  await dav('MKCOL', '/repo/main/newer');
  const lock = { token: 'urn:newer', path: 'newer', owner: '', user: 'admin', timeout: 60, expires: Date.now() + 60_000 };
  await kv.set(`repo-${instanceUid}`, key, Buffer.from(JSON.stringify({ ...lock, depth: '1', scope: 'intent', since: 7 })));
  assert.equal(await statusOf('PUT', '/repo/main/elsewhere', { body: 'x' }), 201);
  assert.equal(await statusOf('PUT', '/repo/main/newer/below', { body: 'x' }), 423);
  assert.equal((await lockPath(server, '/repo/main/newer', { scope: 'shared' })).status, 423);
  await kv.delete(`repo-${instanceUid}`, key);
});

test('of many that ask for the same lock at once, one gets it', async () => {
  const { kernel, engine } = server;
  const repository = await engine.getRepository('repo');
  const tries = Array.from({ length: 12 }, () =>
    new LockStore(kernel.services.get('kv')).grant(
      repository,
      'dev',
      { path: 'contended', depth: '0', scope: 'exclusive', owner: '', user: 'admin', timeout: 60 },
      held => {
        if (held.some(({ path }) => path === 'contended')) throw new Error('taken');
      },
    ),
  );
  const outcomes = await Promise.allSettled(tries);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.equal(
    (await new LockStore(kernel.services.get('kv')).list(repository, 'dev')).filter(({ path }) => path === 'contended').length,
    1,
  );
});
