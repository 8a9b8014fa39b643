/** The Hub API on the wire. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { encodeEntry } from '@srv/engine/objects/entry';
import { encodeValue } from '@srv/engine/tables/format';
import { SrvError } from '@srv/kernel';
import { filesBelow, until } from '@srv/kernel/testing';
import { sendStream } from '@srv/lib-api/testing';
import { pathKey } from '@srv/lib-records';
import { addUser, fileLine, json, line, startHub, token } from './support/server.js';
import type { HubServer } from './support/server.js';

let server: HubServer;
before(async () => {
  server = await startHub({ 'auth.ui_config.rbac': 'internal' });
  await server.engine.createRepository({ id: 'zoo', storageNamespace: 'local://zoo' });
});
after(() => server.stop());

const hub: HubServer['hub'] = (...args) => server.hub(...args);
const commit = (lines: readonly (string | Buffer)[], path = '/api/models/srv/zoo/commit/main', headers = {}) =>
  hub('POST', path, {
    headers: { 'content-type': 'application/x-ndjson', ...headers },
    body: Buffer.concat(lines.map(line => Buffer.from(line))),
  });
const header = (more: object = {}): string => line('header', { summary: 'Upload', description: '', ...more });
const storedFiles = (): number => filesBelow(server.home).filter(name => /\/data\/.*\/.+/.test(name)).length;

test('repositories are created with a URL that clients can parse, once', async () => {
  const body = JSON.stringify({ name: 'made', organization: null, type: 'dataset' });
  const created = await hub('POST', '/api/repos/create', { body });
  assert.equal(created.status, 200);
  assert.deepEqual(json(created), { url: `${server.url}/hf/datasets/srv/made`, name: 'srv/made', id: 'srv/made' });
  const again = await hub('POST', '/api/repos/create', { body });
  assert.equal(again.status, 409);
  assert.equal(json(again)['url'], `${server.url}/hf/datasets/srv/made`);
  const bad = await hub('POST', '/api/repos/create', { body: JSON.stringify({ name: 'My_Model.v1', type: 'model' }) });
  assert.equal(bad.status, 400);
  assert.match(String(bad.headers['x-error-message']), /such as srv\/my-model-v1/);
  assert.equal((await hub('POST', '/api/repos/create', { body: JSON.stringify({ name: 'org/x', type: 'model' }) })).status, 200);
  assert.equal((await server.engine.getRepository('org--x')).defaultBranch, 'main');
  assert.deepEqual(
    (JSON.parse((await hub('GET', '/api/models?limit=1')).body) as { id: string }[]).map(({ id }) => id),
    ['srv/made'],
  );
  assert.match(String((await hub('GET', '/api/models?limit=1')).headers.link), /cursor=made>; rel="next"/);
  assert.equal((await hub('DELETE', '/api/repos/delete', { body })).status, 200);
  assert.equal((await hub('DELETE', '/api/repos/delete', { body })).headers['x-error-code'], 'RepoNotFound');
});

test('a commit adds, replaces, copies and deletes as a whole, and the last line about a path counts', async () => {
  const { engine } = server;
  const first = await commit([
    header(),
    fileLine('a.txt', 'first'),
    fileLine('dir/b', 'b'),
    fileLine('dir/c', 'c'),
    fileLine('a.txt', 'second'),
  ]);
  assert.equal(first.status, 200, first.body);
  const { commitOid, commitUrl } = json(first);
  const head = await engine.getCommit('zoo', 'main');
  assert.equal(commitOid, head.id.slice(0, 40));
  assert.equal(commitUrl, `${server.url}/hf/srv/zoo/commit/${String(commitOid)}`);
  assert.deepEqual([head.message, head.committer], ['Upload', 'admin']);
  const entry = await engine.getEntry('zoo', 'main', 'a.txt');
  assert.equal(entry.metadata['hf-blob'], createHash('sha1').update('blob 6\0second').digest('hex'));
  const second = await commit([
    header({ summary: 'More', description: 'and why', parentCommit: commitOid }),
    line('copyFile', { path: 'copy', srcPath: 'a.txt' }),
    line('deletedFolder', { path: 'dir/' }),
    line('deletedFile', { path: 'a.txt' }),
    fileLine('dir/new', ''),
  ]);
  assert.equal(second.status, 200, second.body);
  const { results } = await engine.list('zoo', 'main');
  assert.deepEqual(
    results.map(({ path }) => path),
    ['copy', 'dir/new'],
  );
  assert.equal((await engine.getCommit('zoo', 'main')).message, 'More\n\nand why');
  assert.equal((await engine.getCommit('zoo', 'main')).parents[0], head.id);
});

test('lists of files come in pages of the size that is asked for', async () => {
  const names = ['page/a/1', 'page/a/2', 'page/b', 'page/c/d/3'];
  // Markers of folders, as other clients leave them.
  for (const marker of ['page/a/', 'page/c/d/']) await server.engine.putObject('zoo', 'main', marker, Buffer.alloc(0));
  await server.engine.commit('zoo', 'main', { committer: 'tester', message: 'folders' });
  assert.equal((await commit([header(), ...names.map(name => fileLine(name, name))])).status, 200);
  for (const recursive of [false, true])
    for (const limit of [undefined, 1, 2, 3, 5000]) {
      const found: string[] = [];
      let next: string | undefined =
        `/api/models/srv/zoo/tree/main/page?recursive=${recursive}${limit === undefined ? '' : `&limit=${limit}`}`;
      while (next !== undefined) {
        const page = await hub('GET', next);
        const files = (JSON.parse(page.body) as { path: string; type: string }[]).map(({ path, type }) => `${type} ${path}`);
        assert.ok(files.filter(file => file.startsWith('file ')).length <= (limit ?? 1000));
        found.push(...files);
        next = /^<(?:[^/]*\/){3}hf(.*)>; rel="next"$/.exec(String(page.headers.link ?? ''))?.[1];
      }
      const all = [
        'directory page/a',
        'file page/a/1',
        'file page/a/2',
        'file page/b',
        'directory page/c',
        'directory page/c/d',
        'file page/c/d/3',
      ];
      assert.deepEqual(found, recursive ? all : ['directory page/a', 'file page/b', 'directory page/c'], `${recursive} ${limit}`);
    }
  for (const limit of ['0', '-1', 'x', '']) assert.equal((await hub('GET', `/api/models/srv/zoo/tree/main?limit=${limit}`)).status, 400);
  assert.equal((await commit([header(), line('deletedFolder', { path: 'page' })])).status, 200);
});

test('a commit that is refused leaves nothing behind', async () => {
  const { engine } = server;
  const before = await engine.getCommit('zoo', 'main');
  const files = storedFiles();
  for (const [title, lines, status] of [
    ['another parent', [header({ parentCommit: '0000000' }), fileLine('x', 'x')], 412],
    ['a malformed parent', [header({ parentCommit: 'main' })], 400],
    ['an unknown line', [header(), fileLine('x', 'x'), line('other', { path: 'y' })], 400],
    ['two headers', [header(), fileLine('x', 'x'), header({ summary: '' })], 400],
    ['a path outside', [header(), fileLine('../x', 'x')], 400],
    ['half of a character', [header(), '{"key":"file","value":{"content":"","path":"\\ud800x","encoding":"base64"}}\n'], 400],
    ['the character that ends names', [header(), fileLine('a\0b', 'x')], 400],
    ['bytes that are not UTF-8', [header(), Buffer.from('{"key":"deletedFile","value":{"path":"\xff"}}\n', 'latin1')], 400],
    ['no base64', [header(), line('file', { path: 'x', content: '%%%%', encoding: 'base64' })], 400],
    ['no content', [header(), line('file', { path: 'x' })], 400],
    ['no JSON', [header(), '{"key": \n'], 400],
    ['an open text', [header(), '{"key":"file","value":{"content":"AAAA'], 400],
    ['a long line', [header(), line('deletedFile', { path: 'x'.repeat(100_000) })], 400],
    [
      'a file that was not uploaded',
      [header(), fileLine('x', 'x'), line('lfsFile', { path: 'y', algo: 'sha256', oid: '0'.repeat(64) })],
      400,
    ],
  ] as const)
    assert.deepEqual([title, (await commit(lines)).status], [title, status]);
  assert.equal((await engine.getCommit('zoo', 'main')).id, before.id);
  assert.equal(storedFiles(), files);
});

test('the contents of a commit that may exist stay, even if the client has left; those of one that was not begun go', async t => {
  const { engine, kernel } = server;
  const [signals, settled] = [[] as AbortSignal[], [] as Promise<unknown>[]];
  const { apply } = engine.tables;
  t.mock.method(engine.tables, 'apply', (request: Parameters<typeof apply>[0]) => {
    signals.push(request.signal ?? assert.fail('a signal'));
    return apply.call(engine.tables, request);
  });
  const { withPins } = engine;
  t.mock.method(engine, 'withPins', (...pinned: Parameters<typeof withPins>) => {
    const work = withPins.apply(engine, pinned);
    settled.push(work.catch(() => undefined));
    return work;
  });
  const removed = t.mock.method(kernel.services.get('block'), 'remove').mock;
  const clients: AbortController[] = [];
  const leave = async (): Promise<void> => {
    const left = once(signals.at(-1) ?? assert.fail('a signal'), 'abort');
    clients.at(-1)?.abort();
    await left;
  };
  const send = async (path: string): Promise<void> => {
    const client = new AbortController();
    clients.push(client);
    const body = header() + fileLine(path, path);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' };
    await assert.rejects(
      fetch(`${server.url}/hf/api/models/srv/zoo/commit/main`, { method: 'POST', headers, body, signal: client.signal }),
      { name: 'AbortError' },
    );
    await settled.at(-1);
    await setImmediate();
  };
  const { commit: make } = engine;
  const lost = t.mock.method(engine, 'commit', async (...commit: Parameters<typeof make>) => {
    await make.apply(engine, commit);
    await leave();
    throw new SrvError('unavailable', 'no answer to a write');
  }).mock;
  await send('uncertain');
  lost.restore();
  assert.equal(removed.callCount(), 0);
  assert.equal((await hub('GET', '/srv/zoo/resolve/main/uncertain')).body, 'uncertain');
  const files = storedFiles();
  t.mock.method(engine.tables, 'apply', async ({ signal }: Parameters<typeof apply>[0]) => {
    signals.push(signal ?? assert.fail('a signal'));
    await leave();
    throw new SrvError('unavailable', 'the store is away');
  });
  await send('not-begun');
  await until(() => storedFiles() === files);
});

test('a copy from another revision is refused when its bytes were removed, such as by garbage collection', async () => {
  const { engine, kernel } = server;
  const srcRevision = String(json(await commit([header(), fileLine('old/kept', 'kept'), fileLine('old/gone', 'gone')]))['commitOid']);
  const { address, addressType } = await engine.getEntry('zoo', 'main', 'old/gone');
  assert.equal((await commit([header(), line('deletedFolder', { path: 'old' })])).status, 200);
  const repository = await engine.getRepository('zoo');
  const block = kernel.services.get('block');
  await block.remove({ namespace: repository.storageNamespace, identifier: address, identifierType: addressType });
  const copyLine = (name: string): string => line('copyFile', { path: `copied/${name}`, srcPath: `old/${name}`, srcRevision });
  assert.equal((await commit([header(), copyLine('kept')])).status, 200);
  const before = await engine.getCommit('zoo', 'main');
  const files = storedFiles();
  const refused = await commit([header(), fileLine('x', 'x'), copyLine('kept'), copyLine('gone')]);
  assert.equal(refused.status, 410, refused.body);
  assert.match(String(json(refused)['error']), /copied\/gone was removed.*upload it again/);
  assert.equal((await engine.getCommit('zoo', 'main')).id, before.id);
  assert.equal(storedFiles(), files);
  assert.equal((await commit([header(), line('deletedFolder', { path: 'copied' })])).status, 200);
});

test('copies by hash are looked for once, however many there are, while other requests are answered', async t => {
  const { engine } = server;
  const repository = await engine.createRepository({ id: 'many', storageNamespace: 'local://many' });
  const oid = createHash('sha256').update('last').digest('hex');
  for (let i = 0; i < 3000; i++)
    await engine.stageEntry(repository, 'main', `a/${i}`, { address: `x${i}`, addressType: 1, size: 1, etag: 'e' });
  await engine.putObject('many', 'main', 'z', Buffer.from('last'), { metadata: { 'hf-sha256': oid } });
  await engine.commit('many', 'main', { committer: 'tester', message: 'many' });
  const listed = t.mock.method(engine, 'list').mock;
  const copies = Array.from({ length: 200 }, (_, i) => line('lfsFile', { path: `copy/${i}`, algo: 'sha256', oid }));
  const sent = commit(
    [header(), ...copies, line('deletedFile', { path: 'copy/7' }), fileLine('copy/8', 'other')],
    '/api/models/srv/many/commit/main',
  );
  const answered = await sent;
  assert.equal(answered.status, 200, answered.body);
  assert.ok(listed.callCount() < 10, `${listed.callCount()} pages were read`);
  assert.equal((await engine.list('many', 'main', { prefix: 'copy/', amount: 1000 })).results.length, 199);
  const [copied, replaced] = await Promise.all(['copy/9', 'copy/8'].map(path => engine.getEntry('many', 'main', path)));
  assert.deepEqual([copied?.metadata['hf-sha256'], replaced?.size], [oid, 5]);
});

test('a client learns the hash that it compares of a file that is there already', async () => {
  const text = Buffer.alloc(2_500_000, 'line\n');
  const binary = Buffer.from('a\0b');
  const sha256 = createHash('sha256').update(binary).digest('hex');
  assert.equal((await commit([header(), fileLine('big.txt', text), fileLine('small.txt', 'small')])).status, 200);
  await server.engine.putObject('zoo', 'main', 'binary', binary, { metadata: { 'hf-sha256': sha256 } });
  await server.engine.commit('zoo', 'main', { committer: 'tester', message: 'binary' });
  const asked = [
    { path: 'big.txt', sample: text.toString('base64', 0, 512), size: text.length },
    { path: 'small.txt', sample: 'c21hbGw=', size: 5 },
    { path: 'binary', sample: binary.toString('base64'), size: 3 },
    { path: 'none', sample: '', size: 0 },
  ];
  const answer = await hub('POST', '/api/models/srv/zoo/preupload/main', {
    headers: { 'user-agent': 'hf_hub/2.4.0' },
    body: JSON.stringify({ files: asked }),
  });
  const blob = (content: Buffer): string => createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
  assert.deepEqual(
    (json(answer)['files'] as { uploadMode: string; oid?: string }[]).map(({ uploadMode, oid }) => [uploadMode, oid]),
    [
      ['regular', blob(text)],
      ['regular', blob(Buffer.from('small'))],
      ['lfs', sha256],
      ['regular', undefined],
    ],
  );
});

test('conditions of reads hold; a range that would continue another content is answered with the whole', async () => {
  assert.equal((await commit([header(), fileLine('read', '0123456789')])).status, 200);
  const etag = String((await hub('HEAD', '/srv/zoo/resolve/main/read')).headers.etag);
  const rows: [Record<string, string>, number, string][] = [
    [{ range: 'bytes=5-', 'if-range': etag }, 206, '56789'],
    [{ range: 'bytes=5-', 'if-range': '"other"' }, 200, '0123456789'],
    [{ 'if-none-match': etag, range: 'bytes=50-' }, 304, ''],
    [{ 'if-none-match': '"other"' }, 200, '0123456789'],
    [{ 'if-match': etag }, 200, '0123456789'],
  ];
  for (const [headers, status, body] of rows) {
    const answer = await hub('GET', '/srv/zoo/resolve/main/read', { headers });
    assert.deepEqual([answer.status, answer.body], [status, body], JSON.stringify(headers));
  }
  for (const method of ['GET', 'HEAD']) {
    assert.equal((await hub(method, '/srv/zoo/resolve/main/read', { headers: { 'if-match': '"other"' } })).status, 412);
    assert.equal((await hub(method, '/srv/zoo/resolve/main/read', { headers: { 'if-none-match': etag } })).status, 304);
  }
});

test('uncommitted changes of a branch are neither shown nor committed', async () => {
  const { engine } = server;
  await engine.putObject('zoo', 'main', 'staged', Buffer.from('x'));
  assert.equal((await hub('HEAD', '/srv/zoo/resolve/main/staged')).headers['x-error-code'], 'EntryNotFound');
  const refused = await commit([header(), fileLine('x', 'x')]);
  assert.equal(refused.status, 412);
  assert.match(String(refused.headers['x-error-message']), /uncommitted changes/);
  await engine.resetBranch('zoo', 'main', { type: 'all' });
});

test('of two commits at once, one wins and the other gets 412', async () => {
  const body = (name: string): string[] => [header(), fileLine(name, randomBytes(300_000))];
  const statuses = (await Promise.all(['one', 'two', 'three'].map(name => commit(body(name))))).map(({ status }) => status);
  assert.equal(statuses.filter(status => status === 200).length >= 1, true, String(statuses));
  assert.ok(
    statuses.every(status => status === 200 || status === 412),
    String(statuses),
  );
  const names = (await server.engine.list('zoo', 'main')).results
    .map(({ path }) => path)
    .filter(path => ['one', 'two', 'three'].includes(path));
  assert.equal(names.length, statuses.filter(status => status === 200).length, 'no commit is lost');
});

test('of two commits that overlap, the one that ends later gets 412, and its files are removed', async () => {
  const files = storedFiles();
  const release = new EventEmitter();
  const late = sendStream(server.url, '/hf/api/datasets/srv/zoo/commit/main', {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: (async function* () {
      yield Buffer.from(header({ summary: 'late' }) + fileLine('late', randomBytes(100_000)));
      await once(release, 'go');
      yield Buffer.from(fileLine('late2', 'x'));
    })(),
  });
  await until(() => storedFiles() > files);
  assert.equal((await commit([header({ summary: 'early' }), fileLine('early', 'x')])).status, 200);
  release.emit('go');
  const { status, body } = await late;
  assert.equal(status, 412, body);
  assert.match(body, /A commit has happened since/);
  const { results } = await server.engine.list('zoo', 'main');
  assert.deepEqual(
    results.map(({ path }) => path).filter(path => /^(?:late|early)/.test(path)),
    ['early'],
  );
  await until(() => storedFiles() === files + 1);
});

test('files are read with the headers that clients look for', async () => {
  const content = randomBytes(2_000_000);
  await commit([header(), fileLine('big.bin', content)]);
  const alias = (await server.engine.getCommit('zoo', 'main')).id.slice(0, 40);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const head = await hub('HEAD', '/srv/zoo/resolve/main/big.bin');
  assert.deepEqual(
    [head.status, head.headers['x-repo-commit'], head.headers.etag, head.headers['content-length']],
    [200, alias, `"${sha256}"`, '2000000'],
  );
  const ranged = await hub('GET', `/datasets/zoo/resolve/${alias}/big.bin`, { headers: { range: 'bytes=100-199' } });
  assert.deepEqual([ranged.status, ranged.headers['content-range']], [206, 'bytes 100-199/2000000']);
  assert.ok(ranged.bytes.equals(content.subarray(100, 200)));
  assert.ok((await hub('GET', '/srv/zoo/resolve/main/big.bin')).bytes.equals(content));
  const missing = await hub('HEAD', '/srv/zoo/resolve/main/missing');
  assert.deepEqual([missing.status, missing.headers['x-error-code'], missing.headers['x-repo-commit']], [404, 'EntryNotFound', alias]);
  for (const [path, code] of [
    ['/srv/zoo/resolve/nope/x', 'RevisionNotFound'],
    ['/srv/zoo/resolve/refs%2Fpr%2F1/x', 'RevisionNotFound'],
    ['/srv/none/resolve/main/x', 'RepoNotFound'],
    ['/api/models/srv/none', 'RepoNotFound'],
    ['/api/models/srv/zoo/tree/main/none', 'EntryNotFound'],
    ['/api/models/srv/zoo/tree/none', 'RevisionNotFound'],
  ] as const)
    assert.equal((await hub('GET', path)).headers['x-error-code'], code, path);
  const [file] = JSON.parse(
    (
      await hub('POST', '/api/models/srv/zoo/paths-info/main', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'paths=big.bin&paths=none',
      })
    ).body,
  ) as { path: string; lfs: { oid: string } }[];
  assert.deepEqual([file?.path, file?.lfs.oid], ['big.bin', sha256]);
});

test('main is the default branch where it has another name', async () => {
  await server.engine.createRepository({ id: 'trunk-repo', storageNamespace: 'local://trunk-repo', defaultBranch: 'trunk' });
  assert.equal((await commit([header(), fileLine('a', 'a')], '/api/datasets/srv/trunk-repo/commit/main')).status, 200);
  assert.equal((await hub('GET', '/datasets/srv/trunk-repo/resolve/main/a')).body, 'a');
  assert.equal((await server.engine.getEntry('trunk-repo', 'trunk', 'a')).size, 1);
  // The right to read its log is that of the branch that is shown.
  const branch = (name: string) => [
    { action: ['fs:ReadBranch', 'fs:ReadCommit'], resource: `arn:lakefs:fs:::repository/trunk-repo/branch/${name}` },
  ];
  for (const [user, name, status] of [
    ['main-reader', 'main', 403],
    ['trunk-reader', '*', 200],
  ] as const) {
    const authorization = await addUser(server, user, branch(name));
    assert.equal((await hub('GET', '/api/datasets/srv/trunk-repo/commits/main', { headers: { authorization } })).status, status, user);
  }
});

test('a list of files that is not whole is left out, so that clients ask for the tree', async () => {
  await server.engine.createRepository({ id: 'wide', storageNamespace: 'local://wide' });
  const entry = await server.engine.putObject('wide', 'main', 'f', Buffer.from('x'));
  await server.engine.resetBranch('wide', 'main', { type: 'all' });
  const change = (i: number) => ({ key: pathKey(`f${String(i).padStart(5, '0')}`), value: encodeValue(encodeEntry(entry)) });
  const fill = async (count: number): Promise<unknown> => {
    const repository = await server.engine.getRepository('wide');
    const { metarangeId } = await server.engine.tables.apply({
      namespace: repository.storageNamespace,
      base: '',
      changes: Readable.from([Array.from({ length: count }, (_, i) => change(i))]),
      signal: new AbortController().signal,
    });
    await server.engine.commit('wide', 'main', { committer: 'tester', message: 'm', sourceMetarange: metarangeId });
    return json(await hub('GET', '/api/models/srv/wide'))['siblings'];
  };
  assert.equal(((await fill(10_000)) as object[]).length, 10_000);
  assert.equal(await fill(10_001), undefined);
});

test('nothing is read or written that the caller may not', async () => {
  const repo = 'arn:lakefs:fs:::repository/zoo';
  const authorization = await addUser(server, 'limited', [
    { action: ['fs:ReadRepository', 'fs:ListObjects', 'fs:ListRepositories'], resource: repo },
    { action: ['fs:CreateCommit'], resource: `${repo}/branch/main` },
    { action: ['fs:ReadObject', 'fs:WriteObject'], resource: `${repo}/object/mine/*` },
  ]);
  await commit([header(), fileLine('others/x', 'TOP SECRET'), fileLine('mine/x', 'mine')]);
  const head = await server.engine.getCommit('zoo', 'main');
  const headers = { authorization };
  for (const [method, path, body] of [
    ['GET', '/srv/zoo/resolve/main/others/x'],
    ['HEAD', '/srv/zoo/resolve/main/others/x'],
    ['GET', '/srv/zoo/resolve/main/unknown'],
    ['GET', '/api/models/srv/secret'],
    ['GET', '/api/models/srv/zoo/refs'],
    ['GET', '/api/models/srv/zoo/commits/main'],
    ['POST', '/api/models/srv/zoo/branch/new', '{}'],
    ['DELETE', '/api/models/srv/zoo/branch/main'],
    ['POST', '/api/models/srv/zoo/tag/main', '{"tag":"t"}'],
    ['POST', '/api/models/srv/zoo/commit/dev', header()],
    ['POST', '/api/models/srv/zoo/commit/main', header() + fileLine('mine/y', 'y') + fileLine('others/y', 'y')],
    ['POST', '/api/models/srv/zoo/commit/main', header() + line('deletedFile', { path: 'mine/x' })],
    ['POST', '/api/models/srv/zoo/commit/main', header() + line('deletedFolder', { path: 'mine' })],
    ['POST', '/api/models/srv/zoo/commit/main', header() + line('copyFile', { path: 'mine/y', srcPath: 'others/x' })],
    ['POST', '/api/repos/create', '{"name":"new-one","type":"model"}'],
    ['DELETE', '/api/repos/delete', '{"name":"zoo","type":"model"}'],
  ] as const) {
    const { status, body: text } = await hub(method, path, { headers, body });
    assert.equal(status, 403, `${method} ${path} ${text}`);
    assert.doesNotMatch(text, /TOP SECRET/);
  }
  assert.equal((await server.engine.getCommit('zoo', 'main')).id, head.id);
  const asked = await hub('POST', '/api/models/srv/zoo/preupload/main', {
    headers,
    body: JSON.stringify({ files: ['others/x', 'mine/x'].map(path => ({ path, sample: '', size: 4 })) }),
  });
  const hashes = (json(asked)['files'] as { oid?: string }[]).map(({ oid }) => oid !== undefined);
  assert.deepEqual(hashes, [false, true], 'a hash gives away the content');
  assert.equal((await hub('GET', '/srv/zoo/resolve/main/mine/x', { headers })).body, 'mine');
  assert.equal((await commit([header(), fileLine('mine/y', 'y')], undefined, headers)).status, 200);
  assert.equal((await hub('GET', '/api/whoami-v2', { headers: { authorization: 'Bearer nonsense' } })).status, 401);
  assert.equal((await hub('GET', '/srv/zoo/resolve/main/mine/x', { headers: { authorization: '' } })).status, 401);
});

test('protected branches and read-only repositories refuse commits, and hooks see them', async () => {
  const { engine, kernel } = server;
  await engine.createBranch('zoo', 'guarded', 'main');
  await engine.createRepository({ id: 'frozen', storageNamespace: 'local://frozen', readOnly: true });
  kernel.hooks.guardBranch.tap(
    'test',
    ({ branch, actions, block }) => void (branch === 'guarded' && actions.includes('commit') && block()),
  );
  const messages: (string | undefined)[] = [];
  kernel.hooks.event.for('pre-commit').tapPromise('test', async event => {
    messages.push(event.commit?.message);
    if (event.commit?.message === 'refused') throw new Error('not today');
  });
  assert.equal((await commit([header(), fileLine('x', 'x')], '/api/models/srv/zoo/commit/guarded')).status, 403);
  assert.equal((await commit([header(), fileLine('x', 'x')], '/api/models/srv/frozen/commit/main')).status, 403);
  assert.equal((await commit([header({ summary: 'refused' }), fileLine('x', 'x')])).status, 412);
  assert.ok(messages.includes('refused'));
});
