import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { jsonBody, raw, rawUrl } from './support/raw.js';
import { startServer } from './support/server.js';
import type { TestServer } from './support/server.js';

const repo = '/repositories/lakes';

describe('answers on the wire', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'mem://bucket/lakes' } });
    for (const path of ['a/1', 'a/2', 'b', 'c d+e', 'x//y/', 'ü']) {
      await server.admin.uploadObject(
        { repository: 'lakes', branch: 'main', path, body: `content of ${path}` },
        { headers: { 'content-type': 'text/plain' } },
      );
    }
    await server.admin.commit({ repository: 'lakes', branch: 'main', body: { message: 'data', metadata: { Key: 'V' } } });
    await server.admin.createBranch({ repository: 'lakes', body: { name: 'dev', source: 'main' } });
  });
  after(() => server.stop());

  it('is JSON with one line break, a request id and no charset', async () => {
    const { status, headers, text } = await raw(server, 'GET', repo);
    assert.equal(status, 200);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
    assert.ok(text.endsWith('}\n') && !text.endsWith('\n\n'));
    assert.equal(typeof (JSON.parse(text) as { creation_date: unknown }).creation_date, 'number');
  });

  it('knows no unknown places', async () => {
    const [first, ...rest] = ['repositories', 'lakes', 'refs', 'main', 'objects', 'stat'];
    const doubled = rest.map((_, i) => `/${[first, ...rest.slice(0, i), '', ...rest.slice(i)].join('/')}?path=a/1`);
    for (const path of ['/nothing', '//repositories', '/repositories/lakes/nothing', '/repositories/lakes/branches//main', ...doubled]) {
      const { status, text } = await raw(server, 'GET', path);
      assert.deepEqual([status, text], [404, '{"message":"invalid API endpoint"}\n'], path);
    }
    for (const [path, parameter] of [
      ['/repositories/', 'repository'],
      ['/repositories//branches', 'repository'],
      ['/repositories/lakes/branches/', 'branch'],
      ['/repositories/lakes/refs//objects/stat?path=a/1', 'ref'],
    ] as const) {
      const { status, text } = await raw(server, 'GET', path);
      const message = `parameter "${parameter}" in path has an error: value is required but missing`;
      assert.deepEqual([status, JSON.parse(text)], [400, { message }], path);
    }
    assert.equal((await raw(server, 'DELETE', '/config')).status, 404);
  });

  it('keeps an encoded slash inside its parameter', async () => {
    const { status, text } = await raw(server, 'GET', `${repo}/branches/a%2Fb`);
    assert.equal(status, 400);
    assert.match(text, /argument branch: branch id: invalid value/);
  });

  it('says which argument is wrong: those of a body to callers it knows, the others to all', async () => {
    const cases: [string, string, unknown, RegExp][] = [
      ['GET', '/repositories/No_Name', undefined, /argument repository: repository id: invalid value: validation error/],
      ['GET', `${repo}/branches?amount=1001`, undefined, /argument amount:/],
      ['GET', `${repo}/branches?amount=-2`, undefined, /argument amount:/],
      ['GET', `${repo}/branches?amount=x`, undefined, /argument amount:/],
      ['GET', `${repo}/refs/main/objects/stat`, undefined, /argument path:/],
      ['GET', `${repo}/refs/main/objects/stat?path=`, undefined, /argument path: path: required value/],
      ['GET', `${repo}/refs/main/objects/stat?path=${'x'.repeat(1025)}`, undefined, /argument path:/],
      ['POST', `${repo}/branches`, { name: 'x' }, /argument body.source: is required/],
      ['POST', `${repo}/branches`, { name: 'a.b', source: 'main' }, /argument body.name: branch id/],
      ['POST', `${repo}/branches`, undefined, /argument body: is required/],
      ['POST', `${repo}/tags`, { id: 'a..b', ref: 'main' }, /argument body.id: tag id/],
      ['POST', `${repo}/refs/dev/merge/main`, { strategy: 'mine' }, /invalid merge strategy/],
      ['POST', `${repo}/refs/dev/merge/main~1`, {}, /argument destinationBranch/],
      ['POST', `${repo}/branches/main/commits`, { message: 5 }, /argument body.message/],
    ];
    for (const [method, path, body, expected] of cases) {
      const sent = body === undefined ? {} : jsonBody(body);
      const isOfBody = /body|strategy/.test(expected.source);
      const { status, text } = await raw(server, method, path, { ...sent, signed: isOfBody });
      assert.equal(status, 400, `${method} ${path} ${text}`);
      assert.match(text, expected);
      if (isOfBody) assert.equal((await raw(server, method, path, { ...sent, signed: false })).status, 401, path);
    }
  });

  it('parses nothing that an unknown caller sends', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const extra of [{}, { expect: '100-continue' }]) {
      const sent = { body: '{'.repeat(100), headers: { ...headers, ...extra } };
      assert.equal((await raw(server, 'POST', `${repo}/branches`, { ...sent, signed: false })).status, 401);
      assert.equal((await raw(server, 'POST', `${repo}/branches`, sent)).status, 400);
    }
  });

  it('parses little of what anyone may send', async () => {
    const login = (padding: number) =>
      raw(server, 'POST', '/auth/login', { ...jsonBody({ access_key_id: 'x', secret_access_key: 'y'.repeat(padding) }), signed: false });
    assert.equal((await login(60_000)).status, 401);
    assert.equal((await login(70_000)).status, 413);
  });

  it('refuses a body that is not JSON', async () => {
    assert.equal(
      (await raw(server, 'POST', `${repo}/branches`, { body: '{', headers: { 'content-type': 'application/json' } })).status,
      400,
    );
    assert.equal(
      (await raw(server, 'POST', `${repo}/branches`, { body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }))
        .status,
      400,
    );
    assert.equal(
      (
        await raw(server, 'POST', `${repo}/branches`, {
          body: '{"__proto__":{"a":1},"name":"q","source":"main"}',
          headers: { 'content-type': 'application/json' },
        })
      ).status,
      400,
    );
  });

  it('accepts the booleans of other languages and ignores what it does not know', async () => {
    for (const value of ['True', 'true', '1', 't', 'TRUE', 'False', '0', 'f']) {
      const { status, text } = await raw(server, 'GET', `${repo}/branches?show_hidden=${value}&novelty=1`);
      assert.equal(status, 200, text);
    }
    assert.equal((await raw(server, 'GET', `${repo}/branches?show_hidden=maybe`)).status, 400);
  });

  it('pages: default 100, next_offset always there', async () => {
    const page = async (query: string) =>
      JSON.parse((await raw(server, 'GET', `${repo}/refs/main/objects/ls?${query}`)).text) as {
        pagination: object;
        results: { path: string }[];
      };
    assert.deepEqual((await page('amount=0')).pagination, { has_more: false, next_offset: '', results: 6, max_per_page: 1000 });
    assert.equal((await page('amount=-1')).results.length, 6);
    const first = await page('amount=2&user_metadata=false');
    assert.deepEqual(first.pagination, { has_more: true, next_offset: 'a/2', results: 2, max_per_page: 1000 });
    assert.deepEqual((await page('prefix=nowhere')).results, []);
    const grouped = await page('delimiter=/');
    assert.deepEqual(grouped.results[0], { path: 'a/', path_type: 'common_prefix', physical_address: '', checksum: '', mtime: 0 });
    const users = JSON.parse((await raw(server, 'GET', '/auth/users')).text) as { pagination: { max_per_page: number } };
    assert.equal(users.pagination.max_per_page, 0);
  });

  it('keeps paths byte for byte', async () => {
    for (const [query, path] of [
      ['c+d%2Be', 'c d+e'],
      ['c%20d%2Be', 'c d+e'],
      ['x//y/', 'x//y/'],
      ['%C3%BC', 'ü'],
    ]) {
      const { status, text } = await raw(server, 'GET', `${repo}/refs/main/objects/stat?path=${query}`);
      assert.equal(status, 200, text);
      assert.equal((JSON.parse(text) as { path: string }).path, path);
    }
  });

  it('creates branches in plain text', async () => {
    const { status, headers, text } = await raw(server, 'POST', `${repo}/branches`, jsonBody({ name: 'text', source: 'main' }));
    assert.equal(status, 201);
    assert.match(String(headers['content-type']), /^text\/plain/);
    assert.match(text, /^[0-9a-f]{64}$/);
    const again = await raw(server, 'POST', `${repo}/branches`, jsonBody({ name: 'text', source: 'main' }));
    assert.deepEqual([again.status, again.text], [409, '{"message":"branch already exists: not unique"}\n']);
  });

  it('answers a merge conflict in the shape of a merge', async () => {
    await server.admin.createBranch({ repository: 'lakes', body: { name: 'left', source: 'main' } });
    await server.admin.createBranch({ repository: 'lakes', body: { name: 'right', source: 'main' } });
    for (const branch of ['left', 'right']) {
      await server.admin.uploadObject({ repository: 'lakes', branch, path: 'b', body: branch });
      await server.admin.commit({ repository: 'lakes', branch, body: { message: branch } });
    }
    const conflict = await raw(server, 'POST', `${repo}/refs/left/merge/right`);
    assert.deepEqual([conflict.status, conflict.text], [409, '{"reference":""}\n']);
  });

  it('says in known words what is wrong', async () => {
    const cases: [string, string, unknown, number, RegExp][] = [
      ['GET', '/repositories/nothing', undefined, 404, /repository not found/],
      ['GET', `${repo}/tags/none`, undefined, 404, /tag not found/],
      ['POST', `${repo}/branches/dev/commits`, { message: 'm' }, 400, /commit: no changes/],
      ['POST', '/repositories', { name: 'lakes', storage_namespace: 'mem://b/x' }, 409, /error creating repository: not unique/],
      ['POST', '/repositories', { name: 'other', storage_namespace: 'mem://b/x', storage_id: 'z' }, 400, /storage id: invalid value/],
      ['POST', '/repositories', { name: 'other', storage_namespace: 's3://b/x' }, 400, /failed to match required regex \^mem:\/\//],
      ['DELETE', `${repo}/branches/main`, undefined, 403, /cannot delete repository default branch/],
      ['POST', '/statistics', { events: [{ class: '', name: 'n', count: 1 }] }, 400, /class is required/],
      ['POST', '/statistics', { events: [{ class: 'c', name: 'n', count: -1 }] }, 400, /count must be a non-negative integer/],
      ['PUT', `${repo}/branches/dev`, { type: 'object' }, 400, /path: required value/],
      [
        'POST',
        `${repo}/branches/dev/objects/delete`,
        { paths: Array.from({ length: 1001 }, (_, i) => `${i}`) },
        400,
        /request size exceeded/,
      ],
      ['POST', '/auth/groups', { id: 'g' }, 501, /Not Implemented/],
    ];
    for (const [method, path, body, expected, message] of cases) {
      const { status, text } = await raw(server, method, path, body === undefined ? {} : jsonBody(body));
      assert.equal(status, expected, `${method} ${path} ${text}`);
      assert.match(text, message);
    }
  });

  it('deletes what is not there, and ignores empty paths', async () => {
    assert.equal((await raw(server, 'DELETE', `${repo}/branches/dev/objects?path=none`)).status, 204);
    assert.equal((await raw(server, 'DELETE', `${repo}/branches/nowhere/objects?path=none`)).status, 404);
    const { status, text } = await raw(server, 'POST', `${repo}/branches/dev/objects/delete`, jsonBody({ paths: ['', 'none'] }));
    assert.deepEqual([status, text], [200, '{"errors":[]}\n']);
  });

  it('describes storage and version', async () => {
    const config = JSON.parse((await raw(server, 'GET', '/config')).text) as Record<string, Record<string, unknown>>;
    assert.equal(config.storage_config?.blockstore_namespace_ValidityRegex, '^mem://');
    assert.equal(config.version_config?.version_context, 'lakeFS');
    assert.deepEqual(config.storage_config_list, []);
  });

  it('answers /user to anonymous callers and rejects invalid credentials', async () => {
    const { status, text } = await raw(server, 'GET', '/user', { signed: false });
    assert.deepEqual([status, text], [200, '{"user":{"id":"","creation_date":0}}\n']);
    assert.equal((await raw(server, 'GET', '/user', { signed: false, headers: { authorization: 'Bearer x' } })).status, 401);
    assert.match((await raw(server, 'GET', '/user')).text, /"id":"admin".*"friendly_name":"admin"/);
  });

  it('logs in with a cookie that expires with its token', async () => {
    const { headers, text } = await raw(server, 'POST', '/auth/login', {
      ...jsonBody({ access_key_id: 'AKIAIOSFOLQUICKSTART', secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }),
      signed: false,
    });
    const { token } = JSON.parse(text) as { token: string };
    const [cookie = ''] = headers['set-cookie'] ?? [];
    assert.match(cookie, /^access_token_[0-9a-f]{8}=[\w.-]+; Path=\/; Max-Age=(?:604800|60479\d); HttpOnly; SameSite=Lax$/);
    const name = cookie.split('=', 1)[0] ?? '';
    assert.ok((server.kernel.services.get('identity').installationId ?? '').startsWith(name.slice('access_token_'.length)));
    const session = `${name}=${token}`;
    const status = async (value: string) => (await raw(server, 'GET', '/config', { signed: false, headers: { cookie: value } })).status;
    assert.equal(await status(session), 200);
    assert.equal(await status(`access_token=${token}`), 200, 'sessions of earlier versions stay valid');
    assert.equal(await status(`access_token=of-another-server; ${session}`), 200);
    assert.equal((await raw(server, 'GET', '/config', { signed: false, headers: { authorization: `bearer ${token}` } })).status, 200);
    const foreign = await raw(server, 'POST', `${repo}/tags`, {
      ...jsonBody({ id: 'x', ref: 'main' }),
      signed: false,
      headers: { 'content-type': 'application/json', cookie: session, 'sec-fetch-site': 'cross-site' },
    });
    assert.equal(foreign.status, 401);
    const expired = await raw(server, 'GET', '/config', { signed: false, headers: { cookie: `${name}=old` } });
    assert.equal(expired.status, 401);
    assert.match(String(expired.headers['set-cookie']), /^access_token_[0-9a-f]{8}=; Path=\/; Max-Age=0/);
    const strange = await raw(server, 'GET', '/config', { signed: false, headers: { cookie: 'access_token=of-another-server' } });
    assert.deepEqual([strange.status, strange.headers['set-cookie']], [401, undefined], 'it may be a session of another server here');
    const out = await rawUrl(server, 'GET', '/logout');
    assert.deepEqual([out.status, out.headers.location], [307, '/auth/login']);
    assert.deepEqual(
      out.headers['set-cookie']?.map(line => /^(\w+)=; Path=\/; Max-Age=0/.exec(line)?.[1]),
      [name, 'access_token'],
    );
    // The page may stand below a prefix that the server does not know.
    assert.equal((await rawUrl(server, 'GET', '/logout?relative')).headers.location, './auth/login');
  });

  it('serves its own description', async () => {
    const { status, text } = await rawUrl(server, 'GET', '/openapi.json');
    assert.equal(status, 200);
    assert.equal((JSON.parse(text) as { openapi: string }).openapi, '3.1.0');
    assert.equal((await rawUrl(server, 'GET', '/iceberg/api/v1/config')).status, 501);
    assert.match((await rawUrl(server, 'GET', '/_health')).text, /^alive! [0-9a-f-]{36}$/);
  });

  it('says when an installation is set up already', async () => {
    const { status, text } = await raw(server, 'POST', '/setup_lakefs', jsonBody({ username: 'again' }));
    assert.deepEqual([status, text], [409, '{"message":"lakeFS already initialized"}\n']);
    const empty = await raw(server, 'POST', '/setup_lakefs', jsonBody({ username: '' }));
    assert.deepEqual([empty.status, empty.text], [400, '{"message":"empty user display name"}\n']);
    assert.match((await raw(server, 'GET', '/setup_lakefs', { signed: false })).text, /"state":"initialized".*"RBAC":"none"/);
  });
});
