import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sendRaw } from '@srv/lib-api/testing';
import { childrenPrefix, namespacePath as namespaceRecord, tablePath } from '../src/server/names.js';
import { Namespaces } from '../src/server/namespaces.js';
import { addUser, logIn, namespacePath, schema, startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

let server: CatalogServer;
before(async () => {
  server = await startCatalog();
});
after(() => server.stop());

const statusOf = async (...args: Parameters<CatalogServer['call']>): Promise<number> => (await server.call(...args)).status;
const bodyOf = async <T>(...args: Parameters<CatalogServer['call']>): Promise<T> => JSON.parse((await server.call(...args)).body) as T;
const errorOf = async (...args: Parameters<CatalogServer['call']>) => {
  const { status, body } = await server.call(...args);
  const { error } = JSON.parse(body) as { error: { type: string; code: number; message: string } };
  assert.equal(error.code, status);
  return error;
};
const create = (...parts: readonly string[]) => server.call('POST', '/namespaces', { body: { namespace: parts } });

test('a client learns prefix and endpoints, and gets a token for an access key', async () => {
  const config = await bodyOf<{ overrides: object; endpoints: string[] }>('GET', '/iceberg/api/v1/config');
  assert.deepEqual(config.overrides, { prefix: 'srv' });
  assert.ok(config.endpoints.includes('POST /v1/{prefix}/transactions/commit'));
  const token = await logIn(server);
  assert.equal(await statusOf('GET', '/namespaces', { token }), 200);
  assert.equal(await statusOf('GET', '/namespaces', { token: 'nonsense' }), 401);
  assert.equal(await statusOf('GET', '/iceberg/api/v1/lakefs/namespaces', { token }), 200);
  assert.equal(await statusOf('GET', '/iceberg/api/v1/namespaces', { token }), 200);
});

test('a warehouse is the catalog, a repository or a ref of one, and any other does not exist', async () => {
  const ask = (warehouse: string) => `/iceberg/api/v1/config?warehouse=${warehouse}`;
  for (const known of ['', 'srv', 'lakefs', 'lake', 'lake.dev', 'lake.main.sales'])
    assert.deepEqual((await bodyOf<{ overrides: object }>('GET', ask(known))).overrides, { prefix: 'srv' }, known);
  for (const unknown of ['none', 'lake.none', 'none.main', 'lake.', '.main', 'lake.main.', 's3%3A%2F%2Fbucket%2Ffolder', 'No%20Name']) {
    const { code, type, message } = await errorOf('GET', ask(unknown));
    assert.deepEqual([code, type], [404, 'NoSuchWarehouseException'], unknown);
    assert.ok(message.includes(decodeURIComponent(unknown)), message);
  }
  const { type } = await errorOf('GET', '/iceberg/relative_to/lake.dev/api/v1/config?warehouse=none');
  assert.equal(type, 'NoSuchWarehouseException');
  assert.equal(await statusOf('GET', '/iceberg/relative_to/lake.dev/api/v1/config'), 200);
  assert.equal(await statusOf('GET', ask('none'), { headers: { authorization: '' } }), 401);
});

test('a wrong secret is an invalid client, another grant is not offered', async () => {
  const ask = (form: string) => sendRaw(server.url, '/iceberg/api/v1/oauth/tokens', { method: 'POST', body: form });
  assert.equal((await ask('x'.repeat((64 << 10) + 1))).status, 413, 'of callers that are not known');
  const wrong = await ask('grant_type=client_credentials&client_id=AKIAJTESTTESTTESTTEQ&client_secret=no');
  assert.deepEqual([wrong.status, (JSON.parse(wrong.body) as { error: string }).error], [401, 'invalid_client']);
  assert.equal((JSON.parse((await ask('grant_type=password')).body) as { error: string }).error, 'unsupported_grant_type');
  assert.equal((JSON.parse((await ask('grant_type=client_credentials')).body) as { error: string }).error, 'invalid_request');
});

test('repositories and branches are the first two levels', async () => {
  assert.deepEqual(await bodyOf('GET', '/namespaces?pageToken='), { namespaces: [['lake']], 'next-page-token': null });
  const branches = await bodyOf('GET', '/namespaces?parent=lake');
  assert.deepEqual(branches, {
    namespaces: [
      ['lake', 'dev'],
      ['lake', 'main'],
    ],
    'next-page-token': null,
  });
  assert.equal(await statusOf('HEAD', namespacePath('lake', 'main')), 204);
  assert.equal(await statusOf('HEAD', namespacePath('lake', 'none')), 404);
  assert.match(
    (await errorOf('POST', '/namespaces', { body: { namespace: ['lake', 'new'] } })).message,
    /create those with the command line/,
  );
});

test('namespaces are created, nested, listed by level and page, changed and dropped', async () => {
  assert.equal((await create('lake', 'main', 'a')).status, 200);
  assert.equal((await errorOf('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'a'] } })).type, 'AlreadyExistsException');
  for (const name of ['b', 'c d', 'ü.%/', 'e']) assert.equal((await create('lake', 'main', 'a', name)).status, 200);
  const parent = encodeURIComponent(['lake', 'main', 'a'].join('\u001f'));
  const seen: string[] = [];
  for (let token: string | null = ''; token !== null; ) {
    const page: { namespaces: string[][]; 'next-page-token': string | null } = await bodyOf(
      'GET',
      `/namespaces?parent=${parent}&pageSize=2&pageToken=${encodeURIComponent(token)}`,
    );
    seen.push(...page.namespaces.map(name => name.slice(3).join('|')));
    token = page['next-page-token'];
  }
  assert.deepEqual(seen.sort(), ['b', 'c d', 'e', 'ü.%/']);
  assert.deepEqual(await bodyOf('GET', `/namespaces?parent=${encodeURIComponent('lake\u001fmain')}`), {
    namespaces: [['lake', 'main', 'a']],
    'next-page-token': null,
  });
  const changed = await bodyOf('POST', `${namespacePath('lake', 'main', 'a')}/properties`, {
    body: { updates: { k: 'v' }, removals: ['none'] },
  });
  assert.deepEqual(changed, { updated: ['k'], removed: [], missing: ['none'] });
  assert.equal(
    await statusOf('POST', `${namespacePath('lake', 'main', 'a')}/properties`, { body: { updates: { k: 'v' }, removals: ['k'] } }),
    422,
  );
  assert.deepEqual(await bodyOf('GET', namespacePath('lake', 'main', 'a')), { namespace: ['lake', 'main', 'a'], properties: { k: 'v' } });
  assert.equal((await errorOf('DELETE', namespacePath('lake', 'main', 'a'))).type, 'NamespaceNotEmptyException');
  for (const name of ['b', 'c d', 'ü.%/', 'e']) assert.equal(await statusOf('DELETE', namespacePath('lake', 'main', 'a', name)), 204);
  assert.equal(await statusOf('DELETE', namespacePath('lake', 'main', 'a')), 204);
  assert.equal(await statusOf('GET', namespacePath('lake', 'main', 'a')), 404);
});

test('without a page token a list is whole, with one it comes in pages', async () => {
  const count = 1005;
  const names = Array.from({ length: count }, (_, i) => String(10_000 + i));
  await server.engine.createBranch('lake', 'long', 'main');
  const put = (path: string): Promise<unknown> => server.engine.putObject('lake', 'long', path, Buffer.from('{}'));
  await Promise.all(names.map(name => put(namespaceRecord(['many', name]))));
  await put(namespaceRecord(['many']));
  await Promise.all(names.map(table => put(tablePath({ namespace: ['many'], table }))));
  const many = namespacePath('lake', 'long', 'many');
  for (const [list, member] of [
    [`/namespaces?parent=${encodeURIComponent('lake\u001flong\u001fmany')}&`, 'namespaces'],
    [`${many}/tables?`, 'identifiers'],
  ] as const) {
    const ask = async (query: string): Promise<[number, string | null]> => {
      const page = await bodyOf<Record<string, unknown[]> & { 'next-page-token': string | null }>('GET', list + query);
      return [new Set(page[member]?.map(name => JSON.stringify(name))).size, page['next-page-token']];
    };
    assert.deepEqual(await ask(''), [count, null], list);
    // An upper bound is one of pages, which this client does not ask for.
    assert.deepEqual(await ask('pageSize=10'), [count, null], list);
    const [first, token] = await ask('pageToken=');
    assert.deepEqual([first, typeof token], [1000, 'string'], list);
    assert.deepEqual(await ask(`pageToken=${encodeURIComponent(token ?? '')}`), [count - 1000, null], list);
  }
});

test('a namespace that one side of a merge dropped and the other filled exists, with its content', async () => {
  const by = { committer: 'test', message: 'change' };
  const [path, outer] = [namespacePath('lake', 'main', 'filled', 'inner'), namespacePath('lake', 'main', 'filled')];
  assert.equal((await create('lake', 'main', 'filled', 'inner')).status, 200);
  await server.engine.commit('lake', 'main', by);
  await server.engine.createBranch('lake', 'drops', 'main');
  for (const parts of [['filled', 'inner'], ['filled']]) assert.equal(await statusOf('DELETE', namespacePath('lake', 'drops', ...parts)), 204); // biome-ignore format: a list
  await server.engine.commit('lake', 'drops', by);
  assert.equal(await statusOf('POST', `${path}/tables`, { body: { name: 't', schema } }), 200);
  await server.engine.commit('lake', 'main', by);
  await server.engine.merge('lake', 'drops', 'main', by);
  const isThere = async (): Promise<void> => {
    for (const one of [outer, path]) assert.equal(await statusOf('HEAD', one), 204);
    assert.equal((await create('lake', 'main', 'filled')).status, 409);
    assert.equal((await errorOf('DELETE', path)).type, 'NamespaceNotEmptyException');
    assert.equal((await errorOf('DELETE', outer)).type, 'NamespaceNotEmptyException');
  };
  await isThere();
  assert.deepEqual(await bodyOf('GET', path), { namespace: ['lake', 'main', 'filled', 'inner'], properties: {} });
  assert.deepEqual(await bodyOf('GET', `/namespaces?parent=${encodeURIComponent(['lake', 'main', 'filled'].join('\u001f'))}`), {
    namespaces: [['lake', 'main', 'filled', 'inner']],
    'next-page-token': null,
  });
  assert.deepEqual(await bodyOf('GET', `${path}/tables`), {
    identifiers: [{ namespace: ['lake', 'main', 'filled', 'inner'], name: 't' }],
    'next-page-token': null,
  });
  assert.equal(await statusOf('POST', `${outer}/properties`, { body: { updates: { k: 'v' }, removals: [] } }), 200);
  assert.deepEqual(await bodyOf('GET', outer), { namespace: ['lake', 'main', 'filled'], properties: { k: 'v' } });
  assert.equal(await statusOf('POST', `${path}/tables`, { body: { name: 'more', schema } }), 200);
  await isThere();
  // The new table gave it a record: it stays when it becomes empty.
  for (const name of ['t', 'more']) assert.equal(await statusOf('DELETE', `${path}/tables/${name}`), 204);
  assert.equal(await statusOf('HEAD', path), 204);
  for (const one of [path, outer]) assert.equal(await statusOf('DELETE', one), 204);
  for (const one of [path, outer]) assert.equal(await statusOf('HEAD', one), 404);
  await server.engine.commit('lake', 'main', by);
});

test('a namespace that has namespaces only, and no record, is listed once, on pages of any size', async () => {
  await server.engine.createBranch('lake', 'deep', 'main');
  const put = (folder: string) =>
    server.engine.putObject('lake', 'deep', `${childrenPrefix([])}${folder}/namespace.json`, Buffer.from('{"properties":{}}'));
  // `a-` and `a%20` stand before the namespaces in `a`, which stand before `a` itself.
  for (const folder of ['a.b', 'a.b.c', 'a.b-c', 'a.d', 'a-1.x', 'a-1', 'a%20.y', 'a0', 'b.c', 'b', 'c.d', 'c.e', '.x', 'd.%zz'])
    await put(folder);
  const parent = encodeURIComponent(['lake', 'deep'].join('\u001f'));
  const listed = async (size: number, of = parent): Promise<string[]> => {
    const names: string[] = [];
    for (let token: string | null = ''; token !== null; ) {
      const page: { namespaces: string[][]; 'next-page-token': string | null } = await bodyOf(
        'GET',
        `/namespaces?parent=${of}&pageSize=${size}&pageToken=${encodeURIComponent(token)}`,
      );
      assert.ok(page.namespaces.length <= size);
      names.push(...page.namespaces.map(name => name.slice(2).join('|')));
      token = page['next-page-token'];
    }
    return names;
  };
  for (const size of [1, 2, 3, 100]) {
    assert.deepEqual(await listed(size), ['a ', 'a-1', 'a', 'a0', 'b', 'c'], String(size));
    assert.deepEqual(await listed(size, encodeURIComponent(['lake', 'deep', 'a'].join('\u001f'))), ['a|b-c', 'a|b', 'a|d'], String(size));
  }
});

test('an object that is added to a namespace while it is dropped is taken back', async () => {
  const place = { repository: 'lake', ref: 'main', namespace: ['racing'] };
  const pointer = tablePath({ ...place, table: 't' });
  assert.equal((await create('lake', 'main', 'racing')).status, 200);
  const namespaces = new Namespaces(server.engine);
  const records = await namespaces.openRef(place);
  const adding = namespaces.addTo(records, place.namespace, async () => {
    await namespaces.drop(place);
    await records.write(pointer, {});
    return async () => records.remove(pointer, (await records.read(pointer))?.etag ?? '');
  });
  await assert.rejects(adding, /Namespace does not exist: racing/);
  assert.equal(await statusOf('HEAD', namespacePath('lake', 'main', 'racing')), 404);
});

test('a relative address begins within a branch', async () => {
  const at = (path: string): string => `/iceberg/relative_to/lake.dev/api/v1/srv${path}`;
  assert.equal(await statusOf('POST', at('/namespaces'), { body: { namespace: ['flat'] } }), 200);
  assert.deepEqual(await bodyOf('GET', at('/namespaces')), { namespaces: [['flat']], 'next-page-token': null });
  assert.equal(await statusOf('POST', at('/namespaces/flat/tables'), { body: { name: 't', schema } }), 200);
  assert.deepEqual(await bodyOf('GET', at('/namespaces/flat/tables')), {
    identifiers: [{ namespace: ['flat'], name: 't' }],
    'next-page-token': null,
  });
  assert.equal(await statusOf('HEAD', `${namespacePath('lake', 'dev', 'flat')}/tables/t`), 204);
  assert.equal(await statusOf('GET', '/iceberg/relative_to/lake/api/v1/srv/namespaces'), 404);
  assert.equal((await errorOf('DELETE', at('/namespaces/flat'))).type, 'NamespaceNotEmptyException');
});

test('a call that is not offered or not well-formed is refused with its name', async () => {
  assert.equal((await errorOf('GET', '/nothing')).code, 404);
  assert.equal((await errorOf('PUT', '/namespaces')).code, 405);
  assert.match((await errorOf('POST', '/namespaces', { body: '{"namespace":' })).message, /not valid JSON/);
  assert.match((await errorOf('POST', '/namespaces', { body: { namespace: 'a' } })).message, /list of texts/);
  assert.match((await errorOf('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'a\u0001b'] } })).message, /control characters/);
  assert.match((await errorOf('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'x'.repeat(300)] } })).message, /255 bytes/);
  assert.equal((await errorOf('GET', '/namespaces?pageSize=many')).code, 400);
  assert.equal((await errorOf('GET', '/namespaces/%zz')).code, 400);
  assert.match(
    (await errorOf('POST', '/namespaces', { body: '{"namespace":["lake","main","p"],"properties":{"__proto__":{"a":"b"}}}' })).message,
    /JSON/,
  );
});

test('a caller sees and does what the policy allows', async () => {
  await create('lake', 'main', 'open');
  await create('lake', 'main', 'secret');
  for (const table of ['books', 'money'])
    await server.call('POST', `${namespacePath('lake', 'main', 'open')}/tables`, { body: { name: table, schema } });
  const token = await addUser(server, 'reader', [
    { action: ['catalog:ListTables', 'catalog:GetNamespace'], resource: 'arn:lakefs:catalog:::namespace/lake/open' },
    { action: ['catalog:ReadTable'], resource: 'arn:lakefs:catalog:::table/lake/open/books' },
  ]);
  const open = namespacePath('lake', 'main', 'open');
  const listed = await bodyOf<{ identifiers: { name: string }[] }>('GET', `${open}/tables`, { token });
  assert.deepEqual(
    listed.identifiers.map(({ name }) => name),
    ['books'],
  );
  assert.equal(await statusOf('GET', `${open}/tables/books`, { token }), 200);
  assert.equal((await errorOf('GET', `${open}/tables/money`, { token })).type, 'ForbiddenException');
  assert.equal(await statusOf('GET', namespacePath('lake', 'main', 'secret'), { token }), 403);
  assert.equal(await statusOf('DELETE', `${open}/tables/books`, { token }), 403);
  assert.equal(await statusOf('POST', `${open}/tables/books`, { token, body: { requirements: [], updates: [] } }), 403);
  assert.equal(await statusOf('GET', '/namespaces', { headers: { authorization: '' } }), 401);
});

test('namespaces around a new one are created with it, by those who may create them', async () => {
  assert.equal((await create('lake', 'dev', 'x', 'y', 'z')).status, 200);
  for (const parts of [['x'], ['x', 'y']])
    assert.equal(await statusOf('HEAD', namespacePath('lake', 'dev', ...parts)), 204, parts.join('.'));
  const token = await addUser(server, 'nested', [{ action: ['catalog:*'], resource: 'arn:lakefs:catalog:::namespace/lake/x.q*' }]);
  const body = (...parts: readonly string[]) => ({ body: { namespace: ['lake', 'dev', ...parts] }, token });
  assert.equal(await statusOf('POST', '/namespaces', body('x', 'q', 'r')), 200);
  assert.equal(await statusOf('POST', '/namespaces', body('other', 'q')), 403);
  const refused = '/api/v1/repositories/lake/branches/dev/iceberg/namespaces';
  assert.equal(await statusOf('POST', refused, { body: { namespace: 'a..b' } }), 400);
  assert.equal(await statusOf('HEAD', namespacePath('lake', 'dev', 'other')), 404);
});

test('half of a character is not a name, and a page may be asked to be as long as one likes', async () => {
  const body = '{"namespace":["lake","dev","half\\ud800"]}';
  assert.match((await errorOf('POST', '/namespaces', { body })).message, /half of a character/);
  assert.equal(await statusOf('GET', '/namespaces?pageSize=99999999'), 200);
  for (const size of ['0', '000', '-1', '1e3']) assert.equal(await statusOf('GET', `/namespaces?pageSize=${size}`), 400, size);
});

test('objects between those of the catalog whose names are badly encoded are left out of lists', async () => {
  await server.engine.createBranch('lake', 'odd', 'main');
  await create('lake', 'odd', 'sales');
  const sales = namespacePath('lake', 'odd', 'sales');
  await server.call('POST', `${sales}/tables`, { body: { name: 'books', schema } });
  const root = childrenPrefix([]);
  for (const path of ['%ZZ/x', 'sales/tables/100%', 'sales/views/100%', 'sales.%E0/namespace.json'])
    await server.engine.putObject('lake', 'odd', root + path, Buffer.from('{}'));
  const namespaces = await bodyOf<{ namespaces: string[][] }>('GET', `/namespaces?parent=${encodeURIComponent('lake\u001fodd')}`);
  assert.deepEqual(namespaces.namespaces, [['lake', 'odd', 'sales']]);
  const inside = await bodyOf<{ namespaces: string[][] }>('GET', `/namespaces?parent=${encodeURIComponent('lake\u001fodd\u001fsales')}`);
  assert.deepEqual(inside.namespaces, []);
  const { identifiers } = await bodyOf<{ identifiers: { name: string }[] }>('GET', `${sales}/tables`);
  assert.deepEqual(
    identifiers.map(({ name }) => name),
    ['books'],
  );
  assert.deepEqual((await bodyOf<{ identifiers: object[] }>('GET', `${sales}/views`)).identifiers, []);
});
