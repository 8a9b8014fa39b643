/** Services that refuse, are slow, broken, or lie. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ScriptedHttp, freePort, startSrv } from '@srv/test-servers';
import { createRemoteAccounts } from '../src/server/accounts.js';
import { ServiceClient } from '../src/server/service-client.js';
import { RemoteUserDirectory } from '../src/server/user-directory.js';
import type { RequestListener } from 'node:http';
import type { TestContext } from 'node:test';
import type { Sessions, SignIns } from '@srv/lib-auth';

const cache = { enabled: true, size: 10, ttl: 60_000, jitter: 0 };

async function setUp(t: TestContext, answer: RequestListener, timeout = 5_000) {
  const server = await ScriptedHttp.open(answer);
  const service = new ServiceClient({ endpoint: `${server.url}/api/v1`, token: 'the-token', timeout });
  t.after(async () => {
    service.close();
    await server.close();
  });
  const directory = new RemoteUserDirectory(service, () => cache);
  const accounts = createRemoteAccounts({ service, directory, sessions: {} as Sessions, signIns: {} as SignIns, secretKey: 'k' });
  return { service, directory, accounts };
}

const json =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const ann = { username: 'ann', creation_date: 1 };
const page = (results: unknown[], more = false, next = '') => ({ pagination: { has_more: more, next_offset: next }, results });

describe('answers of the service', () => {
  it('are translated by their status', async t => {
    const expected = {
      400: 'invalid',
      401: 'internal',
      403: 'internal',
      404: 'not_found',
      409: 'not_unique',
      418: 'internal',
      500: 'internal',
      501: 'unsupported',
      502: 'internal',
      503: 'internal',
      504: 'internal',
      200: 'internal',
      302: 'internal',
    };
    for (const [status, code] of Object.entries(expected)) {
      const { service } = await setUp(t, (_request, response) =>
        response.writeHead(Number(status), { location: 'http://127.0.0.1:1/' }).end('{"message":"no"}'),
      );
      await assert.rejects(service.send({ method: 'POST', path: ['x'], expect: 201 }), { code }, status);
    }
  });

  it('that are late, cut off or not there are faults, and name no token', async t => {
    const slow = await setUp(t, () => undefined, 50);
    const cut = await setUp(
      t,
      (_request, response) => void response.writeHead(200, { 'content-length': '100' }).write('{', () => response.destroy()),
    );
    const closed = {
      directory: new RemoteUserDirectory(
        new ServiceClient({ endpoint: `http://127.0.0.1:${await freePort()}`, token: 'the-token', timeout: 1000 }),
        () => cache,
      ),
    };
    for (const { directory } of [slow, cut, closed]) {
      await assert.rejects(directory.findUser('ann'), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'internal');
        assert.match(error.message, /^authorization service: GET /);
        assert.doesNotMatch(`${error.message}${String(error.cause)}`, /the-token/);
        return true;
      });
    }
  });

  it('that are not what was asked for are faults, never admissions', async t => {
    const lies: RequestListener[] = [
      json({ ...ann, username: 'root' }),
      json([]),
      json(null),
      json('ann'),
      json({ username: 'ann' }),
      json({ username: 7, creation_date: 1 }),
      (_request, response) => response.writeHead(200).end('<html>'),
      (_request, response) => response.writeHead(200).end(),
    ];
    for (const lie of lies) await assert.rejects((await setUp(t, lie)).directory.findUser('ann'), { code: 'internal' });
    const key = { access_key_id: 'OTHER', secret_access_key: 's', user_name: 'root', creation_date: 1 };
    await assert.rejects((await setUp(t, json(key))).directory.findAccessKey('AK'), { code: 'internal' });
    await assert.rejects((await setUp(t, json(page([ann, { ...ann, username: 'bob' }])))).accounts.findByEmail('a@b'), {
      code: 'internal',
    });
    await assert.rejects((await setUp(t, json(page([{ ...ann, email: 'c@d' }])))).accounts.findByEmail('a@b'), { code: 'internal' });
    await assert.rejects((await setUp(t, json(page([ann])))).accounts.findByExternalId('x'), { code: 'internal' });
    await assert.rejects((await setUp(t, json({ id: 'other', user_id: 'root' }))).accounts.findPrincipal('mine'), { code: 'internal' });
  });

  it('may have an empty last page, and lists that never end are given up', async t => {
    const policy = { name: 'p', statement: [{ effect: 'allow', action: ['fs:*'], resource: '*' }] };
    const asked: string[] = [];
    const two = await setUp(t, (request, response) => {
      asked.push(new URL(request.url ?? '', 'http://x').searchParams.get('after') ?? '');
      json(asked.length === 1 ? page([policy], true, 'p') : page([]))(request, response);
    });
    assert.deepEqual(
      (await two.directory.effectivePolicies('ann')).map(({ id }) => id),
      ['p'],
    );
    assert.deepEqual(asked, ['', 'p']);
    const endless = await setUp(t, json(page([policy], true, 'p')));
    await assert.rejects(endless.directory.effectivePolicies('ann'), { code: 'internal', message: /has no end/ });
  });

  it('that fail are not remembered, those that succeed are', async t => {
    let calls = 0;
    const { directory } = await setUp(t, (request, response) => json(ann, ++calls === 1 ? 503 : 200)(request, response));
    await assert.rejects(directory.findUser('ann'), { code: 'internal' });
    for (let n = 0; n < 3; n++) assert.equal((await directory.findUser('ann'))?.username, 'ann');
    assert.equal(calls, 2);
    await directory.forgetUser('ann');
    await directory.findUser('ann');
    assert.equal(calls, 3);
  });

  it('are asked for with names that cannot leave their place in the path', async t => {
    const urls: string[] = [];
    const { directory } = await setUp(t, (request, response) => {
      urls.push(request.url ?? '');
      response.writeHead(404).end();
    });
    for (const name of ['a/../b', 'a?b#c', '..', '.', '', '%2e%2e', 'ä ö']) assert.equal(await directory.findUser(name), undefined);
    assert.deepEqual(
      urls,
      ['a%2F..%2Fb', 'a%3Fb%23c', '%252e%252e', '%C3%A4%20%C3%B6'].map(part => `/api/v1/auth/users/${part}`),
    );
  });
});

describe('the health check', () => {
  it('waits until the service is well', async t => {
    let calls = 0;
    const { service } = await setUp(t, (_request, response) => response.writeHead(++calls === 1 ? 503 : 204).end());
    await service.untilHealthy(10_000);
    assert.equal(calls, 2);
  });

  it('ends the start of a server whose service stays ill, unless it is skipped', async t => {
    const ill = await ScriptedHttp.open((_request, response) => response.writeHead(500).end());
    t.after(() => ill.close());
    const config = { 'auth.ui_config.rbac': 'external', 'auth.api.endpoint': ill.url, 'auth.api.health_check_timeout': '100ms' };
    await assert.rejects(
      startSrv({ plugins: ['auth-external'], config }),
      /auth\.api\.endpoint: the authorization service at .* is not well: .*status 500/,
    );
    const srv = await startSrv({ plugins: ['auth-external'], config: { ...config, 'auth.api.skip_health_check': true } });
    t.after(() => srv.stop());
    const authorization = `Basic ${Buffer.from('AK:secret').toString('base64')}`;
    const answer = await fetch(`${srv.url}/api/v1/user`, { headers: { authorization } });
    assert.deepEqual([answer.status, await answer.json()], [500, { message: 'internal server error' }]);
  });

  it('is given up when the server stops', async t => {
    const { service } = await setUp(t, (_request, response) => response.writeHead(503).end());
    const waiting = assert.rejects(service.untilHealthy(60_000));
    await sleep(50);
    service.close();
    await waiting;
  });
});

describe('the configuration', () => {
  it('needs an endpoint for external users', async () => {
    await assert.rejects(
      startSrv({ plugins: ['auth-external'], config: { 'auth.ui_config.rbac': 'external' } }),
      /auth\.api\.endpoint: missing required key/,
    );
    for (const [endpoint, shown] of [
      ['ftp://x', 'ftp://x'],
      ['ftp://u:hush@x', 'ftp://******@x'],
      ['http://u:hush@x', 'http://******@x'],
    ] as const) {
      const config = { 'auth.ui_config.rbac': 'external', 'auth.api.endpoint': endpoint };
      await assert.rejects(startSrv({ plugins: ['auth-external'], config }), (error: Error) =>
        error.message.includes(`auth.api.endpoint: "${shown}" is not an http`),
      );
    }
  });
});
