/** Files and folders on the wire. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { silentLogger } from '@srv/kernel';
import { until } from '@srv/kernel/testing';
import { recordsBelow } from '@srv/lib-records';
import { Door } from '../src/server/door.js';
import { Scratch } from '../src/server/scratch.js';
import { hrefsIn, startDav } from './support/server.js';
import type { DavServer } from './support/server.js';

let server: DavServer;
before(async () => {
  server = await startDav();
});
after(() => server.stop());

const dav: DavServer['dav'] = (...args) => server.dav(...args);
const statusOf = async (...args: Parameters<DavServer['dav']>): Promise<number> => (await dav(...args)).status;

test('OPTIONS needs no credentials, on the root of the server either', async () => {
  for (const path of ['/', '/dav', '/dav/', '/dav/repo/main/x']) {
    const { status, headers } = await fetch(server.url + path, { method: 'OPTIONS' });
    assert.equal(status, 200, path);
    assert.equal(headers.get('dav'), '1, 2, 3');
    assert.equal(headers.get('ms-author-via'), 'DAV');
  }
  assert.equal((await dav('OPTIONS', '/repo/main/')).headers.dav, '1, 2, 3');
  const { id } = await server.engine.getCommit('repo', 'main');
  assert.equal((await dav('OPTIONS', `/repo/${id}/`)).headers.dav, '1', 'what cannot be written is mounted read-only');
  const preflight = await fetch(`${server.url}/`, {
    method: 'OPTIONS',
    headers: { origin: 'https://a.example', 'access-control-request-method': 'PUT' },
  });
  assert.equal(preflight.headers.get('dav'), null);
});

test('everything else asks for credentials', async () => {
  for (const method of ['GET', 'PROPFIND', 'PUT', 'DELETE', 'LOCK']) {
    const { status, headers } = await dav(method, '/repo/main/x', { headers: { authorization: '' } });
    assert.equal(status, 401, method);
    assert.match(String(headers['www-authenticate']), /^Basic realm="srv"/);
  }
  assert.equal(await statusOf('GET', '/repo/main/x', { headers: { authorization: `Basic ${btoa('AKIAJTESTTESTTESTTEQ:wrong')}` } }), 401);
});

test('a written file is uncommitted, and is read back in ranges, with conditions', async () => {
  const body = 'some text';
  const put = await dav('PUT', '/repo/main/note.txt', { body, headers: { 'content-type': 'text/plain' } });
  assert.equal(put.status, 201);
  const etag = `"${createHash('md5').update(body).digest('hex')}"`;
  assert.equal(put.headers.etag, etag);
  const got = await dav('GET', '/repo/main/note.txt');
  assert.equal(got.body, body);
  assert.equal(got.headers['content-type'], 'text/plain');
  assert.equal(got.headers['cache-control'], 'no-cache');
  assert.match(String(got.headers['content-security-policy']), /sandbox/);
  assert.equal((await dav('GET', '/repo/main/note.txt', { headers: { range: 'bytes=5-6' } })).body, 'te');
  assert.equal(await statusOf('GET', '/repo/main/note.txt', { headers: { range: 'bytes=90-' } }), 416);
  assert.equal(await statusOf('GET', '/repo/main/note.txt', { headers: { 'if-none-match': etag } }), 304);
  const head = await dav('HEAD', '/repo/main/note.txt');
  assert.deepEqual([head.status, head.headers['content-length'], head.body], [200, '9', '']);
  assert.equal(await statusOf('PUT', '/repo/main/note.txt', { body: 'x', headers: { 'if-none-match': '*' } }), 412);
  assert.equal(await statusOf('PUT', '/repo/main/note.txt', { body: 'x', headers: { 'if-match': '"other"' } }), 412);
  assert.equal(await statusOf('PUT', '/repo/main/note.txt', { body: 'x', headers: { 'if-match': `W/${etag}` } }), 412);
  assert.equal(await statusOf('PUT', '/repo/main/note.txt', { body: 'x', headers: { 'content-range': 'bytes 0-0/9' } }), 400);
  assert.equal(await statusOf('PUT', '/repo/main/note.txt', { body: 'newer', headers: { 'if-match': etag } }), 204);
  assert.deepEqual(
    (await server.engine.diffUncommitted('repo', 'main')).results.map(({ path }) => path),
    ['note.txt'],
  );
});

test('DELETE, MOVE and COPY heed If-Match and If-None-Match', async () => {
  const tag = String((await dav('PUT', '/repo/main/kept.txt', { body: 'kept' })).headers.etag);
  const destination = `${server.url}/dav/repo/main/other.txt`;
  for (const method of ['DELETE', 'MOVE', 'COPY'])
    for (const condition of [{ 'if-match': '"other"' }, { 'if-match': `W/${tag}` }, { 'if-none-match': '*' }])
      assert.equal(await statusOf(method, '/repo/main/kept.txt', { headers: { destination, ...condition } }), 412, method);
  assert.equal((await dav('GET', '/repo/main/kept.txt')).body, 'kept');
  assert.equal(await statusOf('GET', '/repo/main/other.txt'), 404);
  assert.equal(await statusOf('MOVE', '/repo/main/kept.txt', { headers: { destination, 'if-match': tag } }), 201);
  assert.equal(await statusOf('DELETE', '/repo/main/other.txt', { headers: { 'if-match': tag } }), 204);
});

test('a body in chunks is stored, one that is shorter than announced stores nothing', async () => {
  const headers = { 'transfer-encoding': 'chunked' };
  assert.equal(
    await statusOf('PUT', '/repo/main/chunked', { body: 'chunks', headers: { ...headers, 'x-expected-entity-length': '6' } }),
    201,
  );
  assert.equal((await dav('GET', '/repo/main/chunked')).body, 'chunks');
  assert.equal(
    await statusOf('PUT', '/repo/main/short', { body: 'chunks', headers: { ...headers, 'x-expected-entity-length': '60' } }),
    400,
  );
  assert.equal(await statusOf('GET', '/repo/main/short'), 404);
});

test('a folder exists with its marker or an object below, and outlasts its last member', async () => {
  assert.equal(await statusOf('MKCOL', '/repo/main/made/'), 201);
  assert.equal(await statusOf('MKCOL', '/repo/main/made'), 405);
  assert.equal(await statusOf('MKCOL', '/repo/main/a/b/'), 409);
  assert.equal(await statusOf('MKCOL', '/repo/main/body/', { body: 'x' }), 415);
  await server.engine.putObject('repo', 'main', 'by-s3/deep/object', Buffer.from('x'));
  assert.equal(await statusOf('PUT', '/repo/main/by-s3/other', { body: 'x' }), 201);
  assert.equal(await statusOf('DELETE', '/repo/main/by-s3/deep/object'), 204);
  const listed = await dav('PROPFIND', '/repo/main/by-s3/', { headers: { depth: '1' } });
  assert.deepEqual(hrefsIn(listed.body), ['/dav/repo/main/by-s3/', '/dav/repo/main/by-s3/deep/', '/dav/repo/main/by-s3/other']);
  assert.equal(await statusOf('DELETE', '/repo/main/by-s3'), 204);
  assert.equal(await statusOf('PROPFIND', '/repo/main/by-s3', { headers: { depth: '0' } }), 404);
  const page = await dav('GET', '/repo/main/made');
  assert.deepEqual([page.status, page.headers.location], [301, '/dav/repo/main/made/']);
  assert.match(String((await dav('GET', '/repo/main/')).body), /<a href="\/dav\/repo\/main\/made\/">made\/<\/a>/);
});

test('names are percent-encoded once, and what no path can be is refused', async () => {
  const name = 'ä & <b> #1 100%.txt';
  const path = `/repo/main/${encodeURIComponent(name)}`;
  assert.equal(await statusOf('PUT', path, { body: 'x' }), 201);
  assert.equal((await server.engine.getEntry('repo', 'main', name)).size, 1);
  assert.deepEqual(hrefsIn((await dav('PROPFIND', path, { headers: { depth: '1' } })).body), [`/dav${path}`]);
  assert.equal(await statusOf('GET', `${path}/`), 404, 'a slash after a file');
  for (const wrong of ['/repo/main/a%2Fb', '/repo/main/../x', '/repo/main/%2e%2e/x', '/repo/main/a%00', '/repo/main/%zz', '/repo/main/x#y'])
    assert.equal(await statusOf('PUT', wrong, { body: 'x' }), 400, wrong);
  assert.equal(await statusOf('GET', '/repo/main/a//b'), 404);
});

test('listings leave out what no file system can show', async () => {
  for (const key of ['odd//key', 'odd/.', 'odd/\u0001', 'odd/both', 'odd/both/below', 'odd/plain'])
    await server.engine.putObject('repo', 'main', key, Buffer.from('x'));
  const { body } = await dav('PROPFIND', '/repo/main/odd', { headers: { depth: '1' } });
  assert.deepEqual(hrefsIn(body), ['/dav/repo/main/odd/', '/dav/repo/main/odd/both/', '/dav/repo/main/odd/plain']);
  assert.equal((await dav('GET', '/repo/main/odd/both')).body, 'x', 'the object is read by its name');
});

test('copies and moves files and folders, within a branch, between branches and repositories', async () => {
  const { engine } = server;
  await engine.createRepository({ id: 'other', storageNamespace: 'local://other' });
  for (const key of ['tree/a', 'tree/sub/b']) await engine.putObject('repo', 'main', key, Buffer.from(key));
  const to = (path: string, more: Record<string, string> = {}) => ({
    headers: { destination: `http://127.0.0.1:1${'/dav'}${path}`, host: '127.0.0.1:2', ...more },
  });
  assert.equal(await statusOf('COPY', '/repo/main/tree/', to('/repo/main/copied/')), 201);
  assert.equal(
    (await engine.getEntry('repo', 'main', 'copied/a')).address,
    (await engine.getEntry('repo', 'main', 'tree/a')).address,
    'no bytes are copied',
  );
  assert.equal(await statusOf('COPY', '/repo/main/tree/a', to('/repo/main/copied/a', { overwrite: 'F' })), 412);
  assert.equal(await statusOf('COPY', '/repo/main/tree', to('/repo/dev/tree')), 201);
  assert.equal(await statusOf('COPY', '/repo/main/tree', to('/other/main/tree')), 201);
  assert.notEqual((await engine.getEntry('other', 'main', 'tree/a')).address, (await engine.getEntry('repo', 'main', 'tree/a')).address);
  assert.equal((await dav('GET', '/other/main/tree/sub/b')).body, 'tree/sub/b');
  assert.equal(await statusOf('MOVE', '/repo/main/tree/', to('/repo/main/moved/')), 201);
  assert.equal(await statusOf('GET', '/repo/main/tree/a'), 404);
  assert.equal((await dav('GET', '/repo/main/moved/sub/b')).body, 'tree/sub/b');
  assert.equal(await statusOf('MOVE', '/repo/main/moved/a', to('/repo/main/missing/a')), 409);
  assert.equal(await statusOf('MOVE', '/repo/main/moved', to('/repo/main/moved/inner')), 403);
  assert.equal(await statusOf('MOVE', '/repo/main/moved/sub', to('/repo/main/moved')), 403);
  assert.equal(await statusOf('MOVE', '/repo/main/moved/a', { headers: { destination: 'http://elsewhere.example/dav/repo/main/x' } }), 502);
  assert.equal(await statusOf('COPY', '/repo/main/moved/a', { headers: { destination: '/dav/repo/main/%61bsolute' } }), 201);
  for (const name of ['what?', 'x#y', 'a?b=c'])
    for (const host of ['', 'http://127.0.0.1'])
      assert.equal(await statusOf('COPY', '/repo/main/moved/a', { headers: { destination: `${host}/dav/repo/main/${name}` } }), 400, name);
});

test('tags and commits are read-only and never change', async () => {
  const { engine } = server;
  await engine.putObject('repo', 'main', 'frozen/file', Buffer.from('first'));
  const { id } = await engine.commit('repo', 'main', { committer: 'test', message: 'first' });
  await engine.createTag('repo', 'v1.0', id);
  await engine.putObject('repo', 'main', 'frozen/file', Buffer.from('second'));
  for (const ref of ['v1.0', id]) {
    assert.equal((await dav('GET', `/repo/${ref}/frozen/file`)).body, 'first');
    for (const method of ['PUT', 'DELETE', 'LOCK', 'MKCOL', 'PROPPATCH'])
      assert.equal(
        await statusOf(
          method,
          `/repo/${ref}/frozen/${method === 'MKCOL' ? 'new' : 'file'}`,
          method === 'PROPPATCH' ? { body: '<propertyupdate xmlns="DAV:"><set><prop><a/></prop></set></propertyupdate>' } : {},
        ),
        403,
        `${method} ${ref}`,
      );
  }
  assert.match(String((await dav('GET', `/repo/${id}/frozen/file`)).headers['cache-control']), /immutable/);
  assert.equal(await statusOf('GET', '/repo/missing/x'), 404);
  assert.equal(await statusOf('PUT', '/repo/missing/x', { body: 'x' }), 404);
  assert.equal(await statusOf('PUT', '/missing/main/x', { body: 'x' }), 404);
  assert.equal(await statusOf('MKCOL', '/repo/New%20folder'), 403);
  assert.equal(await statusOf('MKCOL', '/new'), 403);
});

test('the top lists repositories, and those their branches', async () => {
  assert.deepEqual(hrefsIn((await dav('PROPFIND', '/')).body), ['/dav/', '/dav/other/', '/dav/repo/']);
  assert.deepEqual(hrefsIn((await dav('PROPFIND', '/repo')).body), ['/dav/repo/', '/dav/repo/dev/', '/dav/repo/main/']);
  assert.equal(await statusOf('PROPFIND', '/missing'), 404);
});

test('files of file managers stay outside of the branch, and are read back', async () => {
  const { engine } = server;
  assert.equal(await statusOf('PUT', '/repo/dev/._note', { body: 'apple' }), 201);
  assert.equal((await dav('GET', '/repo/dev/._note')).body, 'apple');
  assert.deepEqual(hrefsIn((await dav('PROPFIND', '/repo/dev/._note', { headers: { depth: '0' } })).body), ['/dav/repo/dev/._note']);
  await assert.rejects(engine.getEntry('repo', 'dev', '._note'), { code: 'not_found' });
  assert.equal(await statusOf('MOVE', '/repo/dev/._note', { headers: { destination: '/dav/repo/dev/._other' } }), 201);
  assert.equal(await statusOf('GET', '/repo/dev/._note'), 404);
  assert.equal((await dav('GET', '/repo/dev/._other')).body, 'apple');
  assert.equal(await statusOf('PUT', '/repo/dev/.DS_Store', { body: Buffer.alloc(200_000) }), 413);
  assert.equal(await statusOf('DELETE', '/repo/dev/._other'), 204);
  assert.equal(await statusOf('GET', '/repo/dev/._other'), 404);
});

test('beyond places: further files take the places of older ones of the same user', async () => {
  const { kernel, engine } = server;
  const repository = await engine.getRepository('repo');
  const scratch = new Scratch(kernel.services.get('kv'), ['._*']);
  const place = (i: number) => ({ repository, branch: 'dev', user: 'ann', path: `._${i}` });
  for (let i = 0; i < 600; i++) await scratch.put(place(i), { content: Buffer.from(String(i)), contentType: 'text/plain' });
  let stored = 0;
  const start = Buffer.from('webdav-scratch/ann/');
  for await (const page of kernel.services.get('kv').scan(`repo-${repository.instanceUid}`, { start }))
    for (const { key } of page) if (key.toString().startsWith('webdav-scratch/ann/')) stored++;
  assert.ok(stored <= 512 && stored > 200, String(stored));
  assert.equal((await scratch.find(place(599)))?.content.toString(), '599');
  assert.equal(await scratch.find({ ...place(599), user: 'bob' }), undefined);
});

test('files whose time is over are removed for all users, a newer one in the same place is not', async t => {
  const { kernel, engine } = server;
  const repository = await engine.getRepository('repo');
  const kv = kernel.services.get('kv');
  let now = Date.now();
  const scratch = new Scratch(kv, ['._*'], () => now);
  const place = (user: string) => ({ repository, branch: 'dev', user, path: '._kept' });
  const file = { content: Buffer.from('x'), contentType: 'text/plain' };
  for (const user of ['cleaned', 'overtaken']) await scratch.put(place(user), file);
  now += 3_600_000;
  await scratch.put(place('fresh'), file);
  const scan = kv.scan.bind(kv);
  t.mock.method(kv, 'scan', async function* (...args: Parameters<typeof scan>) {
    for await (const page of scan(...args)) {
      await scratch.put(place('overtaken'), file);
      yield page;
    }
  });
  await scratch.clean(repository);
  t.mock.restoreAll();
  const users = new Set<string>();
  for await (const { name } of recordsBelow(kv, `repo-${repository.instanceUid}`, 'webdav-scratch/')) users.add(name.split('/')[0] ?? '');
  assert.deepEqual([users.has('cleaned'), users.has('overtaken'), users.has('fresh')], [false, true, true]);
});

test('the daily clean-up removes files and locks whose time is over', async t => {
  const { services } = server.kernel;
  const repository = await server.engine.getRepository('repo');
  const [kv, partition] = [services.get('kv'), `repo-${repository.instanceUid}`];
  const old = new Scratch(kv, ['._*'], () => Date.now() - 3_700_000);
  await old.put({ repository, branch: 'dev', user: 'daily', path: '._old' }, { content: Buffer.from('x'), contentType: '' });
  // A lock that cannot be read does not keep the files from being removed.
  const lock = Buffer.from('webdav-locks/dev/urn:damaged');
  await kv.set(partition, lock, Buffer.from('{'));
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const door = new Door({
    engine: server.engine,
    identity: services.get('identity'),
    block: services.get('block'),
    kv,
    log: silentLogger,
    count: () => undefined,
    settings: { listTags: false, maxListing: 1, ignore: [] },
  });
  t.mock.timers.tick(3_600_000);
  t.mock.timers.reset();
  const isLeft = async (): Promise<boolean> => {
    for await (const { name } of recordsBelow(kv, partition, 'webdav-scratch/')) if (name.startsWith('daily/')) return true;
    return false;
  };
  await until(async () => !(await isLeft()));
  door.close();
  await kv.delete(partition, lock);
});
