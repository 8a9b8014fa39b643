/** Locks on the wire, and in the store. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { holds, parseIf } from '../src/server/locks/if-header.js';
import { LockStore } from '../src/server/locks/lock-store.js';
import { addUser, lockPath, startDav } from './support/server.js';
import type { KvStore } from '@srv/kernel';
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

test('a LOCK that fails half-way keeps the file free', async t => {
  const { kernel, engine } = server;
  const kv = kernel.services.get('kv');
  const fault = new Error('the database did not answer');
  const isRefresh = (key: Buffer): boolean => key.toString().startsWith('webdav-locks/');
  await dav('PUT', '/repo/main/half', { body: 'x' });
  for (const [path, object, method, fails] of [
    ['half', kv, 'set', isRefresh],
    ['half', kv, 'setIf', (key: Buffer) => key.toString().startsWith('webdav-lock-turns/')],
    ['half', kv, 'setIf', isRefresh],
    ['half-new', engine, 'putObject', () => true],
  ] as const) {
    const real = object[method as keyof typeof object] as unknown as (...args: unknown[]) => Promise<unknown>;
    const { mock } = t.mock.method(object as unknown as Record<string, typeof real>, method, async (...args: unknown[]) => {
      if (!fails(args[1] as Buffer)) return real.apply(object, args);
      mock.restore();
      // What is written may arrive though the answer does not.
      if (method === 'set' || method === 'setIf') await real.apply(object, args);
      throw fault;
    });
    assert.equal((await lockPath(server, `/repo/main/${path}`)).status, 500, method);
    const { token } = await lockPath(server, `/repo/main/${path}`);
    assert.notEqual(token, '', `${path} ${method}`);
    assert.equal(await statusOf('UNLOCK', `/repo/main/${path}`, { headers: { 'lock-token': `<${token}>` } }), 204);
  }
});

/** In a branch of the name, with a database whose next calls of these methods fail. */
async function lockStore(branch: string, failing: readonly ('setIf' | 'delete')[] = []) {
  const kv = server.kernel.services.get('kv');
  const repository = await server.engine.getRepository('repo');
  const left = new Set<string>(failing);
  const fails = (method: string): boolean => left.delete(method);
  const clock = { now: Date.now() };
  const faulty: KvStore = {
    type: kv.type,
    isShared: kv.isShared,
    get: (...args) => kv.get(...args),
    set: (...args) => kv.set(...args),
    setIf: async (...args) => (fails('setIf') ? Promise.reject(new Error('no answer')) : kv.setIf(...args)),
    delete: async (...args) => (fails('delete') ? Promise.reject(new Error('no answer')) : kv.delete(...args)),
    scan: (...args) => kv.scan(...args),
    close: () => kv.close(),
  };
  const store = new LockStore(faulty, () => clock.now);
  const grant = (path: string, timeout = 3600, check: (held: readonly Lock[]) => void = () => undefined): Promise<Lock> =>
    store.grant(repository, branch, { path, depth: '0', scope: 'exclusive', owner: '', user: 'admin', timeout }, check);
  return { store, grant, kv, faulty, clock, repository, partition: `repo-${repository.instanceUid}` };
}

test('a lock that was not granted, and could not be removed, lapses within a minute', async () => {
  const { store, grant, clock, repository } = await lockStore('lapses', ['setIf', 'delete']);
  await assert.rejects(grant('a'), { message: 'no answer' });
  assert.equal((await store.list(repository, 'lapses')).length, 1);
  clock.now += 60_000;
  assert.deepEqual(await store.list(repository, 'lapses'), []);
  const granted = await grant('a', 120);
  assert.equal(granted.expires, clock.now + 120_000);
  assert.deepEqual(await store.list(repository, 'lapses'), [granted]);
});

test('a lock that is extended while expired ones are removed stays', async t => {
  const { store, grant, faulty, clock, repository } = await lockStore('extended');
  const removals: readonly (() => Promise<unknown>)[] = [() => store.clean(repository), () => grant('other', 1)];
  for (const remove of removals) {
    const lock = await grant('a', 10);
    // Of a server whose clock is late.
    const late = new LockStore(faulty, () => clock.now - 1000);
    clock.now = lock.expires;
    const scan = faulty.scan.bind(faulty);
    const { mock } = t.mock.method(faulty, 'scan', async function* (...args: Parameters<typeof scan>) {
      mock.restore();
      for await (const page of scan(...args)) {
        assert.ok(await late.refresh(repository, 'extended', lock, 60));
        yield page;
      }
    });
    await remove();
    assert.ok((await store.list(repository, 'extended')).some(({ token }) => token === lock.token));
    await store.remove(repository, 'extended', lock);
  }
  const lock = await grant('a', 10);
  clock.now = lock.expires;
  const late = new LockStore(faulty, () => clock.now - 1000);
  const remove = faulty.delete.bind(faulty);
  const { mock } = t.mock.method(faulty, 'delete', async (...args: Parameters<typeof remove>) => {
    if (args[1].toString().endsWith(lock.token)) mock.restore();
    else return remove(...args);
    assert.equal(await late.refresh(repository, 'extended', lock, 60), undefined, 'no client believes it has a lock that is being removed');
    return remove(...args);
  });
  await store.clean(repository);
  assert.deepEqual(await store.list(repository, 'extended'), []);
});

test('a lock that cannot be read is named, and keeps no other one from being removed', async () => {
  const { store, grant, kv, clock, repository, partition } = await lockStore('damaged');
  const { token, expires } = await grant('a', 10);
  const damaged = Buffer.from('webdav-locks/damaged/broken');
  await kv.set(partition, damaged, Buffer.from('{'));
  clock.now = expires;
  await assert.rejects(store.clean(repository), { code: 'corrupt', message: 'the lock of WebDAV damaged/broken cannot be read' });
  await assert.rejects(store.list(repository, 'damaged'), { code: 'corrupt', message: 'the lock of WebDAV damaged/broken cannot be read' });
  assert.equal(await kv.get(partition, Buffer.from(`webdav-locks/damaged/${token}`)), undefined);
  await kv.delete(partition, damaged);
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
