/** Logins through an authentication service, and the verifier that is built in. */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { ScriptedHttp, startSrv } from '@srv/test-servers';
import { startSts } from '@srv/test-servers/sts';
import { AwsVerifier } from '../src/server/aws-verifier.js';
import { readProof } from '../src/server/identity-proof.js';
import type { RunningSrv } from '@srv/test-servers';

let service: ScriptedHttp;
let srv: RunningSrv;
const asked: { path: string; body: unknown; requestId: unknown }[] = [];
let answer = { status: 200, body: '{}' };

before(async () => {
  service = await ScriptedHttp.open((request, response) => {
    void text(request).then(body => {
      asked.push({ path: request.url ?? '', body: JSON.parse(body), requestId: request.headers['x-request-id'] });
      response.writeHead(answer.status, { location: 'http://127.0.0.1:1' }).end(answer.body);
    });
  });
  srv = await startSrv({
    plugins: ['auth-principals', 'auth-claims'],
    config: {
      'auth.ui_config.rbac': 'internal',
      'auth.authentication_api.endpoint': service.url,
      'auth.authentication_api.external_principals_enabled': true,
      'auth.cookie_auth_verification.validate_id_token_claims': 'department=sales',
    },
  });
});
after(async () => {
  await srv.stop();
  await service.close();
});

async function call(method: string, path: string, { body, as = 'admin' }: { body?: object; as?: string } = {}) {
  const basic = `Basic ${Buffer.from(`${srv.key.accessKeyId}:${srv.key.secretAccessKey}`).toString('base64')}`;
  const response = await fetch(`${srv.url}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(as === 'nobody' ? {} : { authorization: as === 'admin' ? basic : as }) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const found = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text: found,
    body: (found === '' ? {} : JSON.parse(found)) as Record<string, unknown>,
  };
}

const principalPath = (user: string, id: string): string => `/auth/users/${user}/external/principals?principalId=${encodeURIComponent(id)}`;
const logIn = (body: object) => call('POST', '/auth/external/principal/login', { body, as: 'nobody' });
const userOf = async (token: unknown): Promise<unknown> =>
  ((await call('GET', '/user', { as: `Bearer ${String(token)}` })).body['user'] as { id: string }).id;
/** Seconds a login token holds. */
const lifetime = (token: unknown): number => {
  const { iat, exp } = JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()) as { iat: number; exp: number };
  return exp - iat;
};

describe('principals', () => {
  it('stand for one user each', async () => {
    const id = 'arn:aws:sts::1:assumed-role/Dev/a b';
    assert.equal((await call('POST', principalPath('admin', id))).status, 201);
    assert.equal((await call('POST', principalPath('admin', id), { body: { settings: {} } })).status, 409);
    assert.equal((await call('POST', principalPath('nobody', 'x'))).status, 404);
    assert.equal((await call('POST', '/auth/users/admin/external/principals')).status, 400);
    assert.deepEqual((await call('GET', `/auth/external/principals?principalId=${encodeURIComponent(id)}`)).body, { id, user_id: 'admin' });
    const { body } = await call('GET', '/auth/users/admin/external/principals/ls');
    assert.deepEqual(body['results'], [{ id, user_id: 'admin' }]);
    assert.equal((await call('DELETE', principalPath('admin', id))).status, 204);
    assert.equal((await call('DELETE', principalPath('admin', id))).status, 404);
    assert.equal((await call('GET', '/auth/external/principals?principalId=x')).status, 404);
  });

  it('log in through the service', async () => {
    await call('POST', principalPath('admin', 'p'));
    answer = { status: 200, body: JSON.stringify({ id: 'p' }) };
    const request = { identity_token: 'anything', more: [1, { a: null }] };
    const { status, body, headers } = await logIn({ identityRequest: request, token_expiration_duration: 60 });
    assert.deepEqual([status, await userOf(body['token']), lifetime(body['token'])], [200, 'admin', 60]);
    assert.equal(headers.get('set-cookie'), null);
    const renewed = await call('POST', '/auth/renew_token', { as: `Bearer ${String(body['token'])}` });
    assert.deepEqual([renewed.status, renewed.body['token_expiration']], [200, body['token_expiration']]);
    assert.ok(lifetime(renewed.body['token']) <= 60, 'the renewal does not prolong the session');
    const seen = asked.at(-1);
    assert.deepEqual([seen?.path, seen?.body, seen?.requestId], ['/auth/external/principal/login', request, headers.get('x-request-id')]);
    for (const [duration, seconds] of [
      [0, 168 * 3600],
      [-5, 168 * 3600],
      [10 ** 9, 168 * 3600],
    ] as const)
      assert.equal(lifetime((await logIn({ identityRequest: {}, token_expiration_duration: duration })).body['token']), seconds);
  });

  it('are refused as the service says', async () => {
    const table: [status: number, body: string, expected: number, message: RegExp][] = [
      [400, '', 400, /rejected/],
      [401, '', 401, /^invalid token format$/],
      [403, '', 403, /^session expired$/],
      [404, '', 500, /^internal server error$/],
      [500, '', 500, /^internal server error$/],
      [302, '', 500, /^internal server error$/],
      [200, '<html>', 500, /^internal server error$/],
      [200, '{}', 500, /^internal server error$/],
      [200, '{"id":7}', 500, /^internal server error$/],
      [200, '{"id":"unknown-user"}', 404, /not found/],
    ];
    for (const [status, body, expected, message] of table) {
      answer = { status, body };
      const found = await logIn({ identityRequest: {} });
      assert.equal(found.status, expected, `${status} ${body}`);
      assert.match(String(found.body['message']), message);
    }
    assert.equal((await logIn({})).status, 400);
    assert.equal((await logIn({ identityRequest: 'x' })).status, 400);
  });

  it('of deleted users do not log in', async () => {
    await srv.kernel.services.get('auth').createUser({ username: 'gone' });
    await call('POST', principalPath('gone', 'q'));
    await srv.kernel.services.get('auth').deleteUser('gone');
    answer = { status: 200, body: JSON.stringify({ id: 'q' }) };
    assert.equal((await logIn({ identityRequest: {} })).status, 404);
  });
});

describe('deactivated users', () => {
  it('get no token by a principal or by STS, and the same as others once they are active', async () => {
    const { auth, accounts, provisioning } = {
      auth: srv.kernel.services.get('auth'),
      accounts: srv.kernel.services.get('accounts'),
      provisioning: srv.kernel.services.get('provisioning'),
    };
    await accounts.createAccount({ username: 'idle', externalId: 'idle-ext' });
    await accounts.createPrincipal('idle', 'idle-principal');
    const byPrincipal = () => {
      answer = { status: 200, body: JSON.stringify({ id: 'idle-principal' }) };
      return logIn({ identityRequest: {} });
    };
    const bySts = () => {
      answer = { status: 200, body: JSON.stringify({ claims: { sub: 'idle-ext', department: 'sales' } }) };
      return call('POST', '/sts/login', { body: { code: 'c', state: 's', redirect_uri: 'r' }, as: 'nobody' });
    };
    const setInactive = (inactive: boolean) =>
      provisioning.changeAccount('idle', { externalId: 'idle-ext', email: '', friendlyName: '', inactive });
    await setInactive(true);
    const refusals = [await byPrincipal(), await bySts()];
    assert.deepEqual(
      refusals.map(({ status, body }) => [status, body['message'], body['token']]),
      [
        [404, 'external principal not found', undefined],
        [404, 'user not found', undefined],
      ],
    );
    await assert.rejects(auth.issueToken('idle'), { code: 'unauthenticated' });
    await setInactive(false);
    for (const { status, body } of [await byPrincipal(), await bySts()])
      assert.deepEqual([status, await userOf(body['token'])], [200, 'idle']);
  });
});

describe('logins by STS', () => {
  const sts = (body: object = {}) =>
    call('POST', '/sts/login', { body: { code: 'c', state: 's', redirect_uri: 'r', ...body }, as: 'nobody' });
  const claims = (changes: object = {}) => JSON.stringify({ claims: { sub: 'ext', department: 'sales', ...changes } });

  it('are for users whom the claims name', async () => {
    await srv.kernel.services.get('accounts').createAccount({ username: 'ann', externalId: 'ext' });
    answer = { status: 200, body: claims() };
    const { status, body } = await sts();
    assert.deepEqual([status, await userOf(body['token']), lifetime(body['token'])], [200, 'ann', 3600]);
    assert.deepEqual(asked.at(-1)?.body, { code: 'c', state: 's', redirect_uri: 'r' });
    for (const [ttl, seconds] of [
      [60, 60],
      [0, 3600],
      [10 ** 6, 43_200],
    ] as const)
      assert.equal(lifetime((await sts({ ttl_seconds: ttl })).body['token']), seconds);
    assert.equal((await sts({ ttl_seconds: -1 })).status, 400);
  });

  it('are refused without the required claims, and to unknown users', async () => {
    const table: [status: number, body: string, expected: number][] = [
      [200, claims({ department: 'other' }), 401],
      [200, claims({ sub: '' }), 401],
      [200, claims({ sub: 7 }), 401],
      [200, claims({ sub: 'unknown-user' }), 404],
      [200, '{"claims":[]}', 500],
      [200, '{}', 500],
      [400, '', 400],
      [401, '', 401],
      [403, '', 500],
      [500, '', 500],
    ];
    for (const [status, body, expected] of table) {
      answer = { status, body };
      assert.equal((await sts()).status, expected, `${status} ${body}`);
    }
  });

  it('lead browsers to the login page of the authentication service', async () => {
    const { status, headers } = await call('GET', '/oidc/callback', { as: 'nobody' });
    assert.deepEqual([status, headers.get('location')], [501, '/auth/login']);
  });
});

describe('a server without any of it', () => {
  it('does not offer it to any caller', async t => {
    for (const config of [
      {},
      { 'auth.authentication_api.external_principals_enabled': true, 'auth.aws_iam.server_ids': 'x', 'auth.ui_config.rbac': 'none' },
    ]) {
      const plain = await startSrv({ plugins: ['auth-principals'], config });
      t.after(() => plain.stop());
      const status = async (method: string, path: string, body?: object): Promise<number> =>
        (
          await fetch(`${plain.url}/api/v1${path}`, {
            method,
            headers: {
              'content-type': 'application/json',
              authorization: `Basic ${Buffer.from(`${plain.key.accessKeyId}:${plain.key.secretAccessKey}`).toString('base64')}`,
            },
            ...(body ? { body: JSON.stringify(body) } : {}),
          })
        ).status;
      assert.equal(await status('POST', '/auth/external/principal/login', { identityRequest: {} }), 501);
      assert.equal(await status('POST', '/sts/login', { code: 'c', state: 's', redirect_uri: 'r' }), 501);
      assert.equal(await status('GET', '/auth/external/principals?principalId=x'), 501);
      assert.equal(await status('GET', '/oidc/callback'), 200);
    }
    await assert.rejects(
      startSrv({ plugins: ['auth-principals'], config: { 'auth.authentication_api.external_principals_enabled': true } }),
      /nothing checks logins/,
    );
  });
});

describe('a proof', () => {
  const now = new Date('2026-05-01T12:00:30Z');
  const good = {
    method: 'POST',
    host: 'sts.eu-west-1.amazonaws.com',
    region: 'eu-west-1',
    action: 'GetCallerIdentity',
    date: '20260501T120000Z',
    expiration_duration: '60',
    access_key_id: 'AKIDEXAMPLE00000',
    signature: 'a'.repeat(64),
    signed_headers: ['host', 'X-LakeFS-Server-ID'],
    version: '2011-06-15',
    algorithm: 'AWS4-HMAC-SHA256',
    security_token: '',
  };
  const read = (pieces: unknown) => readProof({ identity_token: Buffer.from(JSON.stringify(pieces)).toString('base64') }, now);

  it('is a request to STS and nothing else', () => {
    assert.equal(read(good).host, 'sts.eu-west-1.amazonaws.com');
    for (const host of ['sts.amazonaws.com', 'sts.cn-north-1.amazonaws.com.cn']) assert.equal(read({ ...good, host }).host, host);
    const wrong: object[] = [
      { host: 'sts.evil.example' },
      { host: 'sts.amazonaws.com.evil.example' },
      { host: 'evil.example/sts.amazonaws.com' },
      { host: 'sts.a.b.amazonaws.com' },
      { host: 'STS.amazonaws.com' },
      { host: 'sts.amazonaws.com:444' },
      { host: 'sts.x@evil.amazonaws.com' },
      { action: 'AssumeRole' },
      { method: 'GET' },
      { version: '2010-01-01' },
      { algorithm: 'none' },
      { region: 'eu/west' },
      { access_key_id: 'a&Action=AssumeRole' },
      { signature: 'x' },
      { signed_headers: ['host'] },
      { signed_headers: ['x-lakefs-server-id'] },
      { signed_headers: ['host', 'x-lakefs-server-id', 'x-more'] },
      { signed_headers: 'host;x-lakefs-server-id' },
      { date: '2026-05-01' },
      { date: '20269901T120000Z' },
      { expiration_duration: '0' },
      { expiration_duration: '86400' },
      { expiration_duration: 60 },
      { date: '20260501T130000Z' },
      { security_token: 7 },
    ];
    for (const change of wrong)
      assert.throws(
        () => read({ ...good, ...change }),
        { code: 'unauthenticated', message: 'invalid token format' },
        JSON.stringify(change),
      );
    for (const token of [undefined, 7, '', 'x', 'bnVsbA==', 'a'.repeat(20_000)])
      assert.throws(() => readProof({ identity_token: token }, now), { code: 'unauthenticated' });
  });

  it('that has expired is to be made again', () => {
    assert.throws(() => read({ ...good, date: '20260501T115900Z' }), { code: 'forbidden', message: 'session expired' });
  });
});

describe('the verifier that is built in', () => {
  const verify = async (body: string, status = 200) => {
    const sts = await ScriptedHttp.open((_request, response) => response.writeHead(status).end(body));
    const pieces = {
      method: 'POST',
      host: 'sts.amazonaws.com',
      region: 'us-east-1',
      action: 'GetCallerIdentity',
      date: '20260501T120000Z',
      expiration_duration: '60',
      access_key_id: 'AKIDEXAMPLE00000',
      signature: 'a'.repeat(64),
      signed_headers: ['host', 'x-lakefs-server-id'],
      version: '2011-06-15',
      algorithm: 'AWS4-HMAC-SHA256',
      security_token: '',
    };
    const verifier = new AwsVerifier({ serverIds: ['me'], stsUrl: sts.url, timeout: 60_000, now: () => new Date('2026-05-01T12:00:30Z') });
    try {
      return await verifier.verify({ identity_token: Buffer.from(JSON.stringify(pieces)).toString('base64') });
    } finally {
      await sts.close();
    }
  };
  const result = (arn: string): string => `<R><GetCallerIdentityResult><Arn>${arn}</Arn></GetCallerIdentityResult></R>`;

  it('takes the role of a session for it, too', async () => {
    const session = 'arn:aws:sts::123456789012:assumed-role/Dev/laptop';
    assert.deepEqual(await verify(result(session)), [session, 'arn:aws:sts::123456789012:assumed-role/Dev']);
    assert.deepEqual(await verify(result('arn:aws:iam::123456789012:user/team/ann')), ['arn:aws:iam::123456789012:user/team/ann']);
  });

  it('takes no lies and no faults for an answer', async () => {
    for (const body of [
      '',
      '{}',
      '<Arn>arn:aws:iam::123456789012:user/x</Arn>',
      result(''),
      result('root'),
      result('arn:aws:s3:::bucket'),
      result('arn:aws:iam::1:user/x'),
    ])
      await assert.rejects(verify(body), { code: 'unavailable' }, body);
    for (const status of [301, 429, 500, 503])
      await assert.rejects(verify(result('arn:aws:iam::123456789012:user/x'), status), { code: 'unavailable' });
    await assert.rejects(verify('<Code>SignatureDoesNotMatch</Code>', 403), { code: 'unauthenticated' });
    await assert.rejects(verify('<Code>ExpiredToken</Code>', 403), { code: 'forbidden' });
    await assert.rejects(verify(result(`arn:aws:iam::123456789012:user/${'x'.repeat(100_000)}`)), { code: 'unavailable' });
    const closed = await startSts([]);
    await closed.close();
    const verifier = new AwsVerifier({ serverIds: ['me'], stsUrl: closed.url, timeout: 60_000 });
    await assert.rejects(verifier.verify({ identity_token: 'x' }), { code: 'unauthenticated' });
  });
});

describe('the configuration', () => {
  it('refuses addresses with a password, and does not show it', async () => {
    for (const name of ['auth.authentication_api.endpoint', 'auth.aws_iam.sts_url'])
      await assert.rejects(startSrv({ plugins: ['auth-principals'], config: { [name]: 'https://u:hush@x' } }), (error: Error) =>
        error.message.includes(`${name}: "https://******@x" is not an http:// or https:// address without user and password`),
      );
  });
});
