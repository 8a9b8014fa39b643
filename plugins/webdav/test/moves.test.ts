/** Moves and copies beside other requests, and those that fail: nothing is lost. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SrvError } from '@srv/kernel';
import { startDav } from './support/server.js';
import type { TestContext } from 'node:test';
import type { DavServer } from './support/server.js';

let server: DavServer;
before(async () => {
  server = await startDav();
});
after(() => server.stop());

const rounds = 12;
let made = 0;
/** A new folder. */
async function folder(): Promise<string> {
  const path = `/repo/main/f${made++}`;
  await call('MKCOL', path);
  return path;
}

async function call(method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<number> {
  return (await server.dav(method, path, { headers, body })).status;
}

const put = (path: string, body: string): Promise<number> => call('PUT', path, {}, body);
const move = (from: string, to: string, more = {}): Promise<number> => call('MOVE', from, { destination: `/dav${to}`, ...more });
const copy = (from: string, to: string, more = {}): Promise<number> => call('COPY', from, { destination: `/dav${to}`, ...more });

/** Contents by path below a folder, markers left out; no object keeps a mark. */
async function contents(path: string): Promise<Readonly<Record<string, string>>> {
  const prefix = `${path.replace('/repo/main/', '')}/`;
  const found: Record<string, string> = {};
  for (const item of (await server.engine.list('repo', 'main', { prefix })).results) {
    if (item.kind !== 'object') continue;
    assert.equal(item.entry.metadata['Webdav-Move'], undefined, item.path);
    if (!item.path.endsWith('/')) found[item.path.slice(prefix.length)] = (await server.dav('GET', `/repo/main/${item.path}`)).body;
  }
  return found;
}

test('an object that a commit still shows is not copied without its bytes, which garbage collection may have removed', async () => {
  const path = await folder();
  for (const name of ['kept', 'gone']) await put(`${path}/${name}`, name);
  const { id } = await server.engine.commit('repo', 'main', { committer: 'tester', message: 'both' });
  const { address, addressType } = await server.engine.getEntry('repo', id, `${path.replace('/repo/main/', '')}/gone`);
  const block = server.kernel.services.get('block');
  await block.remove({
    namespace: (await server.engine.getRepository('repo')).storageNamespace,
    identifier: address,
    identifierType: addressType,
  });
  const old = path.replace('main', id);
  assert.equal(await copy(`${old}/kept`, `${path}/copy`), 201);
  const refused = await server.dav('COPY', `${old}/gone`, { headers: { destination: `/dav${path}/other` } });
  assert.equal(refused.status, 410, refused.body);
  assert.match(refused.body, /gone at [0-9a-f]{64}: its data was removed/);
  assert.equal(await call('GET', `${path}/other`), 404);
});

test('of two requests that may not replace anything one makes the file', async () => {
  for (let round = 0; round < rounds; round++) {
    const path = await folder();
    await put(`${path}/a`, 'A');
    await put(`${path}/b`, 'B');
    const kept = { overwrite: 'F' };
    const moved = await Promise.all([move(`${path}/a`, `${path}/c`, kept), move(`${path}/b`, `${path}/c`, kept)]);
    assert.deepEqual(
      moved.sort((a, b) => a - b),
      [201, 412],
    );
    assert.deepEqual(Object.values(await contents(path)).sort(), ['A', 'B']);
    const sources = ['x1', 'x2', 'x3', 'x4'];
    for (const name of sources) await put(`${path}/${name}`, name);
    const copied = await Promise.all(sources.map(name => copy(`${path}/${name}`, `${path}/y`, kept)));
    assert.deepEqual(
      copied.sort((a, b) => a - b),
      [201, 412, 412, 412],
    );
  }
});

test('a write to a path that is moved or copied is not lost', async () => {
  for (let round = 0; round < rounds; round++) {
    const path = await folder();
    await put(`${path}/a`, 'old');
    await put(`${path}/kept`, 'kept');
    await call('MKCOL', `${path}/from`);
    await put(`${path}/from/1`, 'one');
    await Promise.all([
      move(`${path}/a`, `${path}/b`),
      put(`${path}/a`, 'NEW'),
      copy(`${path}/a`, `${path}/kept`),
      move(`${path}/from/`, `${path}/to/`),
      put(`${path}/from/2`, 'two'),
    ]);
    const found = await contents(path);
    assert.ok([found['a'], found['b']].includes('NEW'), JSON.stringify(found));
    assert.ok(['kept', 'old', 'NEW'].includes(found['kept'] ?? ''), JSON.stringify(found));
    assert.ok(Object.values(found).includes('one'), JSON.stringify(found));
    if (found['from/2'] === undefined) assert.ok(found['to/2'] === 'two', JSON.stringify(found));
  }
});

test('of two folders that replace one another at least one stays whole', async () => {
  for (let round = 0; round < rounds; round++) {
    const path = await folder();
    const names = ['1', '2', '3', 'same'];
    for (const side of ['a', 'b']) {
      await call('MKCOL', `${path}/${side}`);
      for (const name of names) await put(`${path}/${side}/${name === 'same' ? name : side + name}`, side + name);
    }
    await Promise.all([move(`${path}/a/`, `${path}/b/`), move(`${path}/b/`, `${path}/a/`)]);
    const found = new Set(Object.values(await contents(path)));
    assert.ok(
      ['a', 'b'].some(side => names.filter(name => name !== 'same').every(name => found.has(side + name))),
      [...found].join(),
    );
    assert.ok(found.has('asame') || found.has('bsame'), [...found].join());
  }
});

const propertyUpdate = '<propertyupdate xmlns="DAV:"><set><prop><x xmlns="urn:z">1</x></prop></set></propertyupdate>';
const absent = '"00000000000000000000000000000000"';
type Send = (path: string, headers: Record<string, string>) => Promise<number>;

/** Writes other content to a path right before the next call of a method of the engine runs. */
function replaceBefore(t: TestContext, method: 'withPins' | 'setObjectMetadata' | 'checkWrite', path: string): void {
  const { engine } = server;
  const real = engine[method].bind(engine) as (...args: unknown[]) => Promise<unknown>;
  const { mock } = t.mock.method(engine as unknown as Record<string, typeof real>, method, async (...args: unknown[]) => {
    mock.restore();
    await put(path, 'NEW');
    return real(...args);
  });
}
const tagOf = async (path: string): Promise<string> => String((await server.dav('HEAD', path)).headers.etag);

test('a file that is replaced after its tag was compared is neither copied, moved, written, described nor deleted', async t => {
  /** With what is called between the comparison and the change. */
  const requests: readonly (readonly [Send, 'withPins' | 'setObjectMetadata' | 'checkWrite'])[] = [
    [(path, headers) => copy(`${path}/a`, `${path}/b`, headers), 'withPins'],
    [(path, headers) => move(`${path}/a`, `${path}/b`, headers), 'setObjectMetadata'],
    [(path, headers) => call('PUT', `${path}/a`, headers, 'mine'), 'checkWrite'],
    [(path, headers) => call('PROPPATCH', `${path}/a`, headers, propertyUpdate), 'setObjectMetadata'],
    [(path, headers) => call('DELETE', `${path}/a`, headers), 'checkWrite'],
  ];
  const conditions: readonly ((tag: string, path: string) => Record<string, string>)[] = [
    tag => ({ 'if-match': tag }),
    tag => ({ if: `([${tag}])` }),
    tag => ({ if: `(<urn:none> [${tag}]) (Not <DAV:no-lock> [${tag}]) ([${absent}])` }),
    (tag, path) => ({ if: `<${server.url}/dav${path}/a> ([${tag}]) </dav${path}> ([${absent}])` }),
    (tag, path) => ({ if: `</dav${path}/other> (["none"]) </dav${path}/a> ([${tag}] Not [${absent}])`, 'if-match': '*' }),
  ];
  for (const [send, method] of requests)
    for (const headersOf of conditions) {
      const path = await folder();
      await put(`${path}/a`, 'old');
      const condition = headersOf(await tagOf(`${path}/a`), path);
      replaceBefore(t, method, `${path}/a`);
      assert.equal(await send(path, condition), 412, `${method} ${JSON.stringify(condition)}`);
      assert.deepEqual(await contents(path), { a: 'NEW' });
      assert.deepEqual((await server.engine.getEntry('repo', 'main', `${path}/a`.replace('/repo/main/', ''))).metadata, {});
      assert.ok([201, 204, 207].includes(await send(path, headersOf(await tagOf(`${path}/a`), path))));
    }
});

test('a file that is replaced may be changed where another list of the header If holds for it', async t => {
  const { etag } = await server.engine.putObject('repo', 'main', 'new content', Buffer.from('NEW'));
  for (const headersOf of [
    (tag: string) => `([${tag}]) (["${etag}"])`,
    (tag: string) => `([${tag}]) (Not <DAV:no-lock>)`,
    (tag: string, path: string) => `([${tag}]) </dav${path}/other> (Not ["x"])`,
    () => `(Not [${absent}])`,
  ]) {
    const path = await folder();
    await put(`${path}/a`, 'old');
    const header = headersOf(await tagOf(`${path}/a`), path);
    replaceBefore(t, 'checkWrite', `${path}/a`);
    assert.equal(await call('PUT', `${path}/a`, { if: header }, 'mine'), 204, header);
    assert.deepEqual(await contents(path), { a: 'mine' });
  }
});

test('a destination whose tag the header If names is replaced only with that tag', async t => {
  for (const [send, method] of [
    [copy, 'withPins'],
    [move, 'setObjectMetadata'],
  ] as const) {
    const path = await folder();
    await put(`${path}/a`, 'source');
    await put(`${path}/b`, 'old');
    const header = { if: `</dav${path}/b> ([${await tagOf(`${path}/b`)}])` };
    replaceBefore(t, method, `${path}/b`);
    assert.equal(await send(`${path}/a`, `${path}/b`, header), 412);
    assert.deepEqual(await contents(path), { a: 'source', b: 'NEW' });
    assert.equal(await send(`${path}/a`, `${path}/b`, { if: `</dav${path}/b> ([${await tagOf(`${path}/b`)}])` }), 204);
  }
});

test('every method that changes something minds If-Match and If-None-Match', async () => {
  const path = await folder();
  await put(`${path}/a`, 'old');
  const lockInfo = '<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><locktype><write/></locktype></lockinfo>';
  for (const [method, name, headers, body] of [
    ['PROPPATCH', 'a', { 'if-match': absent }, propertyUpdate],
    ['PROPPATCH', 'a', { 'if-none-match': '*' }, propertyUpdate],
    ['PROPPATCH', '', { 'if-none-match': '*' }, propertyUpdate],
    ['LOCK', 'a', { 'if-match': absent }, lockInfo],
    ['LOCK', 'a', { 'if-none-match': '*' }, lockInfo],
    ['LOCK', 'new', { 'if-match': '*' }, lockInfo],
    ['MKCOL', 'new', { 'if-match': '*' }, undefined],
  ] as const)
    assert.equal(await call(method, `${path}/${name}`, headers, body), 412, `${method} ${name} ${JSON.stringify(headers)}`);
  assert.deepEqual((await server.engine.getEntry('repo', 'main', `${path}/a`.replace('/repo/main/', ''))).metadata, {});
  for (const headers of [{ 'if-match': '*' }, { 'if-match': await tagOf(`${path}/a`) }])
    assert.equal(await call('PROPPATCH', `${path}/a`, headers, propertyUpdate), 207);
  assert.equal(await call('PROPPATCH', `${path}/`, { 'if-match': '*' }, propertyUpdate), 207);
});

test('a folder that cannot be copied replaces nothing', async t => {
  const path = await folder();
  for (const side of ['a', 'b']) {
    await call('MKCOL', `${path}/${side}`);
    for (const name of ['1', '2']) await put(`${path}/${side}/${side}${name}`, side + name);
  }
  await put(`${path}/file`, 'file');
  const before = await contents(path);
  const { engine } = server;
  const stageEntry = engine.stageEntry.bind(engine);
  const failing = t.mock.method(engine, 'stageEntry', async (...args: Parameters<typeof stageEntry>) => {
    if (args[2].endsWith('2') || args[2].endsWith('/b')) throw new SrvError('unavailable', 'the database is away');
    return stageEntry(...args);
  });
  assert.equal(await move(`${path}/a/`, `${path}/b/`), 207);
  assert.equal(await move(`${path}/file`, `${path}/b`), 503);
  failing.mock.restore();
  assert.deepEqual(await contents(path), { ...before, 'b/a1': 'a1' });
  assert.equal(await move(`${path}/a/`, `${path}/b/`), 204);
  assert.deepEqual(await contents(path), { file: 'file', 'b/a1': 'a1', 'b/a2': 'a2' });
  assert.equal(await move(`${path}/file`, `${path}/b`), 204);
  assert.deepEqual(await server.dav('GET', `${path}/b`).then(({ body }) => body), 'file');
});
