/** Ten thousand broken requests: none answers 5xx, hangs, or touches what the caller may not. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addUser, startDav } from './support/server.js';
import type { DavServer } from './support/server.js';

const requests = Number(process.env.SRV_FUZZ_REQUESTS ?? 10_000);
const seed = Number(process.env.SRV_TEST_SEED ?? Date.now() % 2 ** 31);
const parallel = 16;
const repo = 'arn:lakefs:fs:::repository/repo';

let server: DavServer;
let limited: string;
before(async () => {
  server = await startDav({ 'auth.ui_config.rbac': 'internal' });
  await server.engine.createRepository({ id: 'secret', storageNamespace: 'local://secret' });
  limited = await addUser(server, 'limited', [
    { action: ['fs:ListRepositories', 'fs:ListBranches', 'fs:ListObjects', 'fs:ReadRepository'], resource: repo },
    { action: ['fs:ReadObject', 'fs:WriteObject', 'fs:DeleteObject'], resource: `${repo}/object/mine/*` },
  ]);
  for (const key of ['mine/a', 'others/secret', 'mine/sub/b'])
    await server.engine.putObject('repo', 'main', key, Buffer.from('TOP SECRET'));
  for (const key of ['mine/a', 'x']) await server.engine.putObject('secret', 'main', key, Buffer.from('TOP SECRET'));
  const { id } = await server.engine.commit('repo', 'main', { committer: 'test', message: 'objects' });
  await server.engine.createTag('repo', 'v1', id);
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

const methods = [
  'GET',
  'HEAD',
  'PROPFIND',
  'PROPPATCH',
  'PUT',
  'MKCOL',
  'DELETE',
  'COPY',
  'MOVE',
  'LOCK',
  'UNLOCK',
  'OPTIONS',
  'POST',
  'REPORT',
  'SEARCH',
];
const segments = [
  'repo',
  'secret',
  'main',
  'v1',
  'mine',
  'others',
  'a',
  'secret',
  'x',
  'sub',
  '',
  '..',
  '%2e',
  '%2F',
  '%00',
  '%ff',
  'ä',
  '._a',
  '~$a',
  '%',
  'a'.repeat(1100),
  'main~1',
  '%C3%A4',
  '@',
  '$',
  '*',
];
const bodies = [
  '',
  'text',
  '<',
  '<propfind xmlns="DAV:"><allprop/></propfind>',
  '<propfind xmlns="DAV:"><propname/></propfind>',
  '<propfind xmlns="DAV:"><prop><getetag/><toString/><constructor xmlns=""/></prop></propfind>',
  '<propertyupdate xmlns="DAV:"><set><prop><a xmlns="urn:z">1</a></prop></set></propertyupdate>',
  '<propertyupdate xmlns="DAV:"><remove><prop><a xmlns="urn:z"/></prop></remove></propertyupdate>',
  '<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><locktype><write/></locktype><owner>x</owner></lockinfo>',
  '<lockinfo xmlns="DAV:"><lockscope><shared/></lockscope><locktype><write/></locktype></lockinfo>',
  '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
  '<a:b/>',
  '\u0000\ufffe',
];
const values: Readonly<Record<string, readonly string[]>> = {
  depth: ['0', '1', 'infinity', '-1', 'x'],
  overwrite: ['T', 'F', '?'],
  if: ['(<urn:x>)', '(Not <urn:x>)', '((', '<', '</dav/secret/main/x> (["x"])', '</dav/secret/main/x> (Not ["x"])', '([W/"x"])'],
  'lock-token': ['<urn:x>', 'urn:x', '<>', '<<>>'],
  timeout: ['Second-1', 'Infinite', 'Second-99999999999999999999', 'x'],
  range: ['bytes=0-1', 'bytes=5-1', 'bytes=-0', 'bytes=99999-', 'x'],
  'if-match': ['*', '"x"', '"a","b"', 'x'],
  'if-none-match': ['*', '"x"'],
  'content-range': ['bytes 0-1/2'],
  'content-encoding': ['gzip'],
  'x-expected-entity-length': ['1', '99', 'x'],
  expect: ['100-continue'],
};

test(`${requests} broken requests (SRV_TEST_SEED=${seed})`, async t => {
  const statuses = new Map<string, number>();
  let number = 0;
  const shoot = async (): Promise<void> => {
    const random = generator(seed + number++);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const path = (): string => {
      if (random() < 0.5)
        return `/${pick(['repo', 'repo', 'secret'])}/${pick(['main', 'main', 'v1'])}/${pick(['mine', 'mine', 'others'])}/${pick(segments)}`;
      return `/${Array.from({ length: Math.floor(random() * 6) }, () => pick(segments)).join('/')}`;
    };
    const method = pick(methods);
    const headers: Record<string, string> = {
      authorization: limited,
      destination: `${pick(['', 'http://127.0.0.1', 'http://elsewhere'])}/dav${encodeURI(path()).replaceAll('%25', '%')}`,
    };
    for (const [name, choices] of Object.entries(values)) if (random() < 0.12) headers[name] = pick(choices);
    const url = encodeURI(path()).replaceAll('%25', '%');
    const answer = await server.dav(method, url, { headers, body: pick(bodies) });
    const where = `request ${number - 1} of SRV_TEST_SEED=${seed}: ${method} ${url} ${JSON.stringify(headers)}`;
    assert.ok(answer.status < 500 || answer.status === 502 || answer.status === 507, `${answer.status} ${answer.body}, ${where}`);
    if (!/\/repo\/(main|v1)\/mine/.test(decodeURI(url.replaceAll(/%(?![0-9A-Fa-f]{2})|%ff/gi, ''))))
      assert.doesNotMatch(answer.body, /TOP SECRET/, where);
    const key = `${method} ${answer.status}`;
    statuses.set(key, (statuses.get(key) ?? 0) + 1);
  };
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (number < requests) await shoot();
    }),
  );
  t.diagnostic(
    [...statuses]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `${name}: ${count}`)
      .join(', '),
  );
  const { engine } = server;
  assert.deepEqual((await engine.diffUncommitted('secret', 'main')).results.map(({ path }) => path).sort(), ['mine/a', 'x']);
  const changed = (await engine.diffUncommitted('repo', 'main', { amount: 1000 })).results.map(({ path }) => path);
  assert.deepEqual(
    changed.filter(path => !path.startsWith('mine/')),
    [],
  );
  assert.ok(changed.length > 0 && statuses.size > 40, 'some requests got through');
  assert.equal((await engine.getEntry('repo', 'main', 'others/secret')).size, 10);
});
