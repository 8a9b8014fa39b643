/** Ten thousand broken requests: none answers 5xx, or touches what the caller may not. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addUser, fileLine, json, line, startHub } from './support/server.js';
import { chunk, lz4Frame, shard } from './support/xet.js';
import type { HubServer } from './support/server.js';

const requests = Number(process.env['SRV_FUZZ_REQUESTS'] ?? 10_000);
const seed = Number(process.env['SRV_TEST_SEED'] ?? Date.now() % 2 ** 31);
const parallel = 16;
const repo = 'arn:lakefs:fs:::repository/repo';

let server: HubServer;
let authorization: string;
/** What LFS is asked with, and the paths of the URLs that it gives. */
let lfsPaths: readonly string[];
const lfsObject = { oid: 'cd'.repeat(32), size: 70_000_000 };
/** Where and with which right chunks are sent. */
let xet: { readonly place: string; readonly authorization: string };
before(async () => {
  server = await startHub({ 'auth.ui_config.rbac': 'internal' });
  const { engine } = server;
  for (const id of ['repo', 'secret']) {
    await engine.createRepository({ id, storageNamespace: `local://${id}` });
    await engine.putObject(id, 'main', 'others/x', Buffer.from('TOP SECRET'));
    await engine.putObject(id, 'main', 'mine/x', Buffer.from('mine'));
    await engine.commit(id, 'main', { committer: 'test', message: 'objects' });
  }
  authorization = await addUser(server, 'limited', [
    { action: ['fs:ReadRepository', 'fs:ListObjects', 'fs:ListRepositories', 'fs:ListBranches'], resource: repo },
    { action: ['fs:CreateCommit', 'fs:ReadBranch'], resource: `${repo}/branch/main` },
    { action: ['fs:ReadObject', 'fs:WriteObject', 'fs:DeleteObject'], resource: `${repo}/object/mine/*` },
  ]);
  const granted = json(await server.hub('GET', '/api/models/srv/repo/xet-write-token/main', { headers: { authorization } }));
  const place = new URL(String(granted['casUrl'])).pathname.replace('/hf', '');
  xet = { place, authorization: `Bearer ${String(granted['accessToken'])}` };
  const batch = await server.hub('POST', '/srv/repo.git/info/lfs/objects/batch', {
    headers: { authorization },
    body: JSON.stringify({ operation: 'upload', transfers: ['multipart'], objects: [lfsObject, { ...lfsObject, size: 9 }] }),
  });
  const objects = json(batch)['objects'] as { actions: { upload: { href: string; header: Record<string, string> } } }[];
  const urls = objects
    .flatMap(({ actions: { upload } }) => [upload.href, ...Object.values(upload.header)])
    .filter(url => URL.canParse(url));
  lfsPaths = urls.map(url => new URL(url).pathname.replace('/hf', ''));
  assert.equal(lfsPaths.length, 5);
});
after(() => server.stop());

/** Numbers from 0 to 1 (mulberry32). */
function generator(state: number): () => number {
  let at = state;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let value = Math.imul(at ^ (at >>> 15), 1 | at);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

const methods = ['GET', 'GET', 'HEAD', 'POST', 'POST', 'DELETE', 'PUT'];
const words = [
  'api',
  'models',
  'datasets',
  'srv',
  'repo',
  'secret',
  'main',
  'resolve',
  'tree',
  'revision',
  'commit',
  'preupload',
  'paths-info',
  'refs',
  'commits',
  'branch',
  'tag',
  'mine',
  'others',
  'x',
  '',
  '..',
  '%2F',
  '%00',
  '%zz',
  '__proto__',
  'constructor',
  'refs%2Fpr%2F1',
  'a'.repeat(1100),
  'whoami-v2',
  'repos',
  'create',
  'delete',
  'auth-check',
  'xet',
  'xet-write-token',
  'main~1',
  '@',
];
const hash = 'ab'.repeat(32);
const chunks = [
  Buffer.concat([chunk(Buffer.from('mine')), chunk(Buffer.from('lakes'), 1, lz4Frame(Buffer.from('lakes')))]),
  shard([{ sha256: hash, parts: [{ xorb: hash, bytes: 9, first: 0, end: 2 }] }]),
];
const paths = ['mine/x', 'mine/y', 'others/x', '', '../x', '/x', 'a//b', 'x'.repeat(1100), 'mine/\u0000', 'ä'];
const queries = ['', '?recursive=True', '?cursor=x', '?limit=-1', '?expand=true&recursive=true', '?create_pr=1', '?blobs=true', '?%'];

test(`${requests} broken requests (SRV_TEST_SEED=${seed})`, async t => {
  const statuses = new Map<string, number>();
  let number = 0;
  const shoot = async (): Promise<void> => {
    const random = generator(seed + number++);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const name = (): string => pick(['srv/repo', 'srv/repo', 'srv/repo', 'srv/secret', 'repo', 'x/y']);
    const url = pick([
      () => `/${Array.from({ length: Math.floor(random() * 7) }, () => pick(words)).join('/')}`,
      () => `/api/${pick(['models', 'datasets'])}/${name()}/${pick(words)}/${pick(['main', 'main', pick(words)])}/${pick(words)}`,
      () => `/api/models/${name()}/${pick(['commit', 'preupload', 'paths-info'])}/main`,
      () => `/${pick(['', 'datasets/'])}${name()}/resolve/${pick(['main', 'main', pick(words)])}/${pick(words)}/x`,
    ])();
    const lines = (): string =>
      [
        line('header', { summary: pick(['x', '']), ...(random() < 0.2 ? { parentCommit: pick(['0000000', 'x']) } : {}) }),
        ...Array.from({ length: Math.floor(random() * 4) }, () =>
          pick([
            () => fileLine(pick(paths), 'content'),
            () =>
              line(pick(['deletedFile', 'deletedFolder', 'copyFile', 'lfsFile', 'other']), {
                path: pick(paths),
                srcPath: pick(paths),
                srcRevision: pick(words),
              }),
            () => '{"content":"%"}\n',
            () => '[]\n',
          ])(),
        ),
      ].join('');
    const body = pick([
      lines,
      lines,
      () => '',
      () => '{',
      () => '{"name":"repo","type":"model"}',
      () => 'paths=mine/x&paths=others/x',
      () => JSON.stringify({ files: [{ path: pick(paths), size: 1, sample: '' }] }),
      () => '{"tag":"t","startingPoint":"main"}',
    ])();
    const cut = random() < 0.1 ? body.slice(0, Math.floor(random() * body.length)) : body;
    if (random() < 0.15) {
      const sent = Buffer.from(pick(chunks));
      for (let count = Math.floor(random() * 3); count > 0; count--) sent[Math.floor(random() * sent.length)] = Math.floor(random() * 256);
      const place = `${xet.place}/${pick(['v1', 'v1', 'v2'])}/${pick([`xorbs/default/${hash}`, 'shards', `chunks/default/${hash}`, pick(words)])}`;
      const { status, body: said } = await server.hub(pick(['POST', 'POST', 'GET']), encodeURI(place).replaceAll('%25', '%'), {
        headers: random() < 0.9 ? { authorization: xet.authorization } : {},
        body: sent,
      });
      assert.ok(status < 500, `${status} ${said}, request ${number - 1} of SRV_TEST_SEED=${seed}: ${place} ${sent.toString('hex')}`);
      statuses.set(`xet ${status}`, (statuses.get(`xet ${status}`) ?? 0) + 1);
      return;
    }
    if (random() < 0.2) {
      const object = pick([lfsObject, { oid: 'ab'.repeat(32), size: pick([9, -1, 1e21, 'x']) }, {}, null, 'x']);
      const request = {
        operation: pick(['upload', 'download', 'download', 'x', null]),
        objects: pick([[object], [object, lfsObject], {}, null]),
      };
      const more = { transfers: pick([['multipart'], ['basic'], 'x', {}]), ref: pick([{ name: pick(words) }, { name: 7 }, null, 'x']) };
      const listed = {
        parts: pick([
          [{ partNumber: 1, etag: 'x' }],
          [null, 1, {}],
          {},
          Array.from({ length: 3 }, (_, i) => ({ partNumber: i + 1, etag: pick(words) })),
        ]),
      };
      const signed = pick(lfsPaths);
      const at = Math.floor(random() * signed.length);
      const [path, body] = pick([
        () => [`/${name()}.git/info/lfs/objects/batch`, JSON.stringify({ ...request, ...more })],
        () => [`/${name()}.git/info/lfs/objects/verify`, JSON.stringify(object)],
        () => [signed, JSON.stringify(listed)],
        () => [signed, 'some bytes'],
        () => [`${signed.slice(0, at)}${pick(['x', '/', '%', ''])}${signed.slice(at + 1)}`, 'some bytes'],
      ])() as [string, string];
      const sent = random() < 0.1 ? body.slice(0, Math.floor(random() * body.length)) : body;
      const answer = await server.hub(pick(['POST', 'POST', 'PUT', 'GET']), path, {
        headers: { authorization: random() < 0.9 ? authorization : '' },
        body: sent,
      });
      const where = `request ${number - 1} of SRV_TEST_SEED=${seed}: ${path} ${sent}`;
      assert.ok(answer.status < 500, `${answer.status} ${answer.body}, ${where}`);
      assert.doesNotMatch(answer.body, /others\/x/, where);
      const kind = `lfs ${answer.status}`;
      statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
      return;
    }
    const method = pick(methods);
    const path = encodeURI(url).replaceAll('%25', '%') + pick(queries);
    const headers = {
      authorization,
      ...(random() < 0.1 ? { range: pick(['bytes=0-1', 'bytes=9-', 'x']) } : {}),
      ...(random() < 0.2 ? { 'content-type': 'application/json' } : {}),
    };
    const answer = await server.hub(method, path, { headers, body: cut });
    const where = `request ${number - 1} of SRV_TEST_SEED=${seed}: ${method} ${path} ${cut}`;
    assert.ok(answer.status < 500, `${answer.status} ${answer.body}, ${where}`);
    assert.doesNotMatch(answer.body, /TOP SECRET/, where);
    const kind = `${method} ${answer.status}`;
    statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
  };
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (number < requests) await shoot();
    }),
  );
  t.diagnostic([...statuses].map(([kind, count]) => `${kind}: ${count}`).join(', '));
  const { engine } = server;
  assert.deepEqual((await engine.log('secret', 'main')).results.length, 2);
  const { results } = await engine.log('repo', 'main', { amount: 1000 });
  assert.ok(results.length > 2, 'some commits got through');
  assert.equal((await engine.getEntry('repo', 'main', 'others/x')).size, 10);
  const { results: items } = await engine.list('repo', 'main');
  assert.deepEqual(
    items.map(({ path }) => path).filter(path => !path.startsWith('mine/')),
    ['others/x'],
  );
});
