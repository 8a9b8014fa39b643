/** Large files by Xet: chunks are sent, put together, and committed. The real client is in clients.long.test.ts. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { filesBelow, until } from '@srv/kernel/testing';
import { sendRaw } from '@srv/lib-api/testing';
import fc from 'fast-check';
import { HubError } from '../src/server/errors.js';
import { decodeLz4Frame } from '../src/server/xet/lz4.js';
import { Xorbs } from '../src/server/xet/record.js';
import { readShard } from '../src/server/xet/shard.js';
import { readGrant, signGrant } from '../src/server/xet/token.js';
import { ChunkIndex, readChunks } from '../src/server/xet/xorb.js';
import { addUser, token as hubToken, json, line, startHub } from './support/server.js';
import { chunk, lz4Frame, sha256Of, shard } from './support/xet.js';
import type { HubServer } from './support/server.js';
import type { Part } from './support/xet.js';

let server: HubServer;
let ann: string;
before(async () => {
  server = await startHub({ 'auth.ui_config.rbac': 'internal' });
  await server.engine.createRepository({ id: 'zoo', storageNamespace: 'local://zoo' });
  ann = await addUser(server, 'ann', [{ action: ['fs:*'], resource: '*' }]);
});
after(() => server.stop());

const storedFiles = (): number => filesBelow(server.home).filter(name => /\/data\/.*\/.+/.test(name)).length;

/** Also those that are being written. */
const blockFiles = (): number => filesBelow(join(server.home, 'block')).length;

interface Grant {
  readonly accessToken: string;
  readonly path: string;
}

async function grant(session: string, authorization?: string): Promise<Grant> {
  const headers = { 'x-xet-session-id': session, ...(authorization === undefined ? {} : { authorization }) };
  const answer = await server.hub('GET', '/api/datasets/srv/zoo/xet-write-token/main', { headers });
  assert.equal(answer.status, 200, answer.body);
  const { accessToken, casUrl, exp } = json(answer) as { accessToken: string; casUrl: string; exp: number };
  assert.deepEqual(
    [answer.headers['x-xet-access-token'], answer.headers['x-xet-cas-url'], answer.headers['x-xet-token-expiration']],
    [accessToken, casUrl, String(exp)],
  );
  return { accessToken, path: new URL(casUrl).pathname };
}

const send = ({ accessToken, path }: Grant, place: string, body: Buffer) =>
  sendRaw(server.url, `${path}/v1/${place}`, { method: 'POST', headers: { authorization: `Bearer ${accessToken}` }, body });
const commit = (value: object, authorization?: string) =>
  server.hub('POST', '/api/datasets/srv/zoo/commit/main', {
    headers: authorization === undefined ? undefined : { authorization },
    body: line('header', { summary: 'large', description: '' }) + line('lfsFile', value),
  });

const [one, two, three] = [randomBytes(90_000), Buffer.alloc(120_000, 'lake '), randomBytes(10_001)] as const;
const grouped = Buffer.concat([0, 1, 2, 3].map(first => Buffer.from(three.filter((_, i) => i % 4 === first))));
const xorb = Buffer.concat([chunk(one), chunk(two, 1, lz4Frame(two)), chunk(three, 2, lz4Frame(grouped))]);
const hash = 'ab'.repeat(32);
const content = Buffer.concat([two, three, one, two]);
const parts: readonly Part[] = [
  { xorb: hash, bytes: two.length + three.length, first: 1, end: 3 },
  { xorb: hash, bytes: one.length + two.length, first: 0, end: 2 },
];

test('a file is put together from its chunks, committed by its user, and read', async () => {
  const session = await grant('session-of-one-file');
  const sha256 = sha256Of(content);
  const first = await send(session, `xorbs/default/${hash}`, xorb);
  assert.deepEqual([first.status, json(first)], [200, { was_inserted: true }]);
  const files = storedFiles();
  assert.deepEqual(json(await send(session, `xorbs/default/${hash}`, xorb)), { was_inserted: false });
  assert.equal(storedFiles(), files, 'a xorb that is there is not kept twice');
  assert.equal((await commit({ path: 'x.bin', oid: sha256 })).status, 400, 'before the shard there is no file');
  const built = await send(session, 'shards', shard([{ sha256, parts }]));
  assert.deepEqual([built.status, json(built)], [200, { result: 1 }]);
  assert.equal(storedFiles(), files + 1);
  assert.equal((await commit({ path: 'x.bin', oid: sha256 }, ann)).status, 400, 'knowing a hash gives no right to read');
  assert.equal((await commit({ path: 'x.bin', algo: 'sha256', oid: sha256, size: content.length })).status, 200);
  const read = await server.hub('GET', '/datasets/srv/zoo/resolve/main/x.bin');
  assert.ok(read.bytes.equals(content));
  assert.equal(read.headers.etag, `"${sha256}"`);
});

test('requests that are not offered answer 404, so that clients send their chunks', async () => {
  const session = await grant('session-of-questions');
  const ask = (method: string, place: string) =>
    sendRaw(server.url, `${session.path}/${place}`, { method, headers: { authorization: `Bearer ${session.accessToken}` } });
  for (const [method, place] of [
    ['GET', `v1/chunks/default/${hash}`],
    ['POST', `v1/xorb-grants/default/${hash}`],
    ['POST', 'v2/shards'],
    ['GET', `v1/xorbs/default/${hash}`],
    ['POST', 'v1/xorbs/default/short'],
  ] as const)
    assert.equal((await ask(method, place)).status, 404, place);
});

test('a shard that does not fit its chunks is refused, and leaves nothing', async () => {
  const session = await grant('session-of-mistakes');
  assert.equal((await send(session, `xorbs/default/${hash}`, xorb)).status, 200);
  const other = await grant('session-of-another-one');
  const anns = await grant('session-of-mistakes', ann);
  const files = storedFiles();
  const sha256 = '1'.repeat(64);
  const part = parts[0] as Part;
  for (const [where, wrong] of [
    [session, [part]],
    [session, [{ ...part, bytes: part.bytes + 1 }]],
    [session, [{ ...part, end: 4 }]],
    [session, [{ ...part, first: 2, end: 2 }]],
    [session, [{ ...part, xorb: 'cd'.repeat(32) }]],
    [other, [part]],
    [anns, [part]],
  ] as const)
    assert.equal((await send(where, 'shards', shard([{ sha256, parts: wrong }]))).status, 400, JSON.stringify(wrong));
  assert.equal((await send(session, 'shards', Buffer.from('no shard'))).status, 400);
  assert.equal((await send(session, 'shards', shard([]).subarray(0, -1))).status, 400);
  for (const broken of [
    xorb.subarray(0, -1),
    Buffer.from('nonsense instead of a chunk'),
    chunk(Buffer.alloc(0), 0, Buffer.alloc(2_000_000)),
  ])
    assert.equal((await send(session, `xorbs/default/${'ef'.repeat(32)}`, broken)).status, 400);
  const lying = Buffer.concat([chunk(Buffer.alloc(5), 1, lz4Frame(Buffer.alloc(6)))]);
  assert.equal((await send(session, `xorbs/default/${'aa'.repeat(32)}`, lying)).status, 200);
  assert.equal(
    (await send(session, 'shards', shard([{ sha256, parts: [{ xorb: 'aa'.repeat(32), bytes: 5, first: 0, end: 1 }] }]))).status,
    400,
  );
  assert.equal(storedFiles(), files + 1);
});

test('chunks are taken for one session with a token that is valid, and for branches that the user may change', async () => {
  const session = await grant('session-of-tokens');
  const { signingKey: key } = server.kernel.services.get('api');
  const facts = {
    repository: 'zoo',
    instance: (await server.engine.getRepository('zoo')).instanceUid,
    user: 'admin',
    session: 'session-of-tokens',
  };
  for (const accessToken of [
    '',
    'x.y',
    `${session.accessToken}x`,
    signGrant({ ...facts, expires: Date.now() - 1 }, key),
    signGrant({ ...facts, expires: Date.now() + 1e6 }, 'other key'),
    signGrant({ ...facts, session: 'session-of-others', expires: Date.now() + 1e6 }, key),
  ])
    assert.equal((await send({ ...session, accessToken }, `xorbs/default/${hash}`, xorb)).status, 401);
  assert.deepEqual(readGrant(signGrant({ ...facts, expires: 1e15 }, key), key), { ...facts, expires: 1e15 });
  const reader = await addUser(server, 'reader', [{ action: ['fs:Read*', 'fs:List*'], resource: '*' }]);
  const refused = await server.hub('GET', '/api/datasets/srv/zoo/xet-write-token/main', { headers: { authorization: reader } });
  assert.equal(refused.status, 403);
  assert.equal((await server.hub('GET', '/api/datasets/srv/zoo/xet-write-token/none')).status, 404);
});

test('a token ends with its user and its repository', async () => {
  const leaver = await addUser(server, 'leaver', [{ action: ['fs:*'], resource: '*' }]);
  const own = await grant('session-of-leaver', leaver);
  await server.kernel.services.get('auth').deleteUser('leaver');
  const files = blockFiles();
  assert.equal((await send(own, `xorbs/default/${hash}`, xorb)).status, 403);
  const { signingKey: key } = server.kernel.services.get('api');
  const { path } = await grant('session-of-instance');
  const facts = { repository: 'zoo', instance: 'of a removed one', user: 'admin', session: 'session-of-instance' };
  const accessToken = signGrant({ ...facts, expires: Date.now() + 1e6 }, key);
  assert.equal((await send({ accessToken, path }, `xorbs/default/${hash}`, xorb)).status, 404);
  assert.equal(blockFiles(), files);
});

test('a client that dies while it sends leaves nothing', async () => {
  const { accessToken, path } = await grant('session-that-dies');
  const lfs = await server.hub('POST', '/datasets/srv/zoo.git/info/lfs/objects/batch', {
    body: JSON.stringify({ operation: 'upload', objects: [{ oid: '5'.repeat(64), size: 1_000_000 }] }),
  });
  const [object] = json(lfs)['objects'] as { actions: { upload: { href: string } } }[];
  const authorization = `Authorization: Bearer ${hubToken}`;
  for (const head of [
    `POST ${path}/v1/xorbs/default/${'dd'.repeat(32)} HTTP/1.1\r\nAuthorization: Bearer ${accessToken}`,
    `PUT ${new URL(object?.actions.upload.href ?? '').pathname} HTTP/1.1`,
    `POST /hf/api/datasets/srv/zoo/commit/main HTTP/1.1\r\n${authorization}`,
  ]) {
    const files = blockFiles();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(`${head}\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n`);
    const begun = Buffer.concat([chunk(Buffer.alloc(200_000)), Buffer.alloc(8), Buffer.alloc(100_000)]);
    socket.write(head.includes('/commit/') ? `{"key":"file","value":{"content":"${'A'.repeat(300_000)}` : begun);
    await until(() => blockFiles() > files || undefined);
    socket.destroy();
    await until(() => blockFiles() === files || undefined);
  }
  const { results } = await server.engine.diffUncommitted('zoo', 'main', {});
  assert.deepEqual(results, []);
});

test('chunks are removed after a day, with their bytes', async () => {
  const repository = await server.engine.getRepository('zoo');
  let now = Date.now();
  const xorbs = new Xorbs(server.kernel.services.get('kv'), () => now);
  const key = { repository, user: 'admin', session: 'session-of-a-day', hash };
  await xorbs.add(key, { address: 'data/x', offsets: [0, 8] });
  const removed: string[] = [];
  const clean = (): Promise<void> => xorbs.clean(repository, async address => void removed.push(address));
  await clean();
  assert.deepEqual([removed, (await xorbs.find(key))?.offsets], [[], [0, 8]]);
  now += 86_400_001;
  await clean();
  assert.ok(removed.includes('data/x'));
  assert.equal(await xorbs.find(key), undefined);
});

test('chunks are removed also when the bytes of others cannot be', async () => {
  const repository = await server.engine.getRepository('zoo');
  let now = Date.now();
  const xorbs = new Xorbs(server.kernel.services.get('kv'), () => now);
  const keys = ['session-1', 'session-2', 'session-3'].map(session => ({ repository, user: 'admin', session, hash }));
  for (const [i, key] of keys.entries()) await xorbs.add(key, { address: `data/${i}`, offsets: [0, 8] });
  now += 86_400_001;
  let calls = 0;
  const firstFails = async (): Promise<void> => {
    if (++calls === 1) throw new Error('the object is retained');
  };
  await assert.rejects(xorbs.clean(repository, firstFails), /the object is retained/);
  assert.ok(calls >= 3);
  calls = 0;
  await xorbs.clean(repository, async () => void calls++);
  assert.equal(calls, 1, 'only the one that failed is left');
});

test('chunks are found and read however their bytes arrive', async () => {
  for (const step of [1, 7, 8, 9, 100_000]) {
    const index = new ChunkIndex();
    const pieces = Array.from({ length: Math.ceil(xorb.length / step) }, (_, i) => xorb.subarray(i * step, (i + 1) * step));
    for (const piece of pieces) index.take(piece);
    assert.equal(index.end().length, 4);
    assert.equal(index.end().at(-1), xorb.length);
    if (step < 7) continue;
    const contents: Buffer[] = [];
    for await (const piece of readChunks(ofPieces(pieces))) contents.push(piece);
    assert.ok(Buffer.concat(contents).equals(Buffer.concat([one, two, three])));
  }
});

async function* ofPieces(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces;
}

test('an LZ4 block copies what it wrote before, itself included', () => {
  // Two literals, ten bytes from two bytes before, one literal; lengths beyond 15 + 255.
  const block = Buffer.concat([Buffer.from([0x26, 0x61, 0x62, 2, 0]), Buffer.from([0x10, 0x63])]);
  assert.equal(decodeLz4Frame(lz4Frame(Buffer.alloc(0), block), 13).toString(), 'ababababababc');
  const long = Buffer.from([0x1f, 0x78, 1, 0, 255, 10, 0x00]);
  assert.equal(decodeLz4Frame(lz4Frame(Buffer.alloc(0), long), 1 + 4 + 15 + 265).toString(), 'x'.repeat(285));
});

test('bytes that are not a frame or a shard are refused, and nothing else happens', () => {
  const frame = lz4Frame(Buffer.alloc(0), Buffer.from([0x26, 0x61, 0x62, 2, 0, 0x10, 0x63]));
  const good = shard([{ sha256: hash, parts }]);
  const refused = (run: () => unknown): void => {
    try {
      run();
    } catch (error) {
      assert.ok(error instanceof HubError, String(error));
    }
  };
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(), fc.nat(40), (at, byte, cut, size) => {
      for (const [whole, read] of [
        [frame, (bytes: Buffer) => decodeLz4Frame(bytes, size)],
        [good, readShard],
      ] as const) {
        const bytes = Buffer.from(whole);
        bytes[at % bytes.length] = byte;
        refused(() => read(bytes));
        refused(() => read(bytes.subarray(0, cut % bytes.length)));
      }
    }),
    { numRuns: 2000 },
  );
});
