/** Logins by AWS IAM: the program, a server, and a stand-in for STS that checks signatures with Amazon's own signer. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { ScriptedHttp, startSrv } from '@srv/test-servers';
import { startSts } from '@srv/test-servers/sts';
import { identityToken } from '../src/aws-iam/identity-proof.js';
import { TokenSource } from '../src/aws-iam/token-source.js';
import { TokenCache } from '../src/token-cache.js';
import { run } from './programs.js';
import type { TestContext } from 'node:test';
import type { RunningSrv } from '@srv/test-servers';

/** Of services whose plugins this package does not depend on. */
interface Users {
  createUser(user: { readonly username: string }): Promise<unknown>;
  createPrincipal(username: string, id: string): Promise<void>;
}
const service = ({ kernel }: RunningSrv, name: string): Users => (kernel.services as { get(name: string): unknown }).get(name) as Users;
const key = { accessKeyId: 'AKIDEXAMPLE00000', secretAccessKey: 'aws/secret+key', sessionToken: 'session/token+=' };
const arn = 'arn:aws:sts::123456789012:assumed-role/Dev/laptop';

async function startBoth(t: TestContext) {
  const sts = await startSts([{ ...key, arn }]);
  const srv = await startSrv({
    plugins: ['auth-principals'],
    config: {
      'auth.ui_config.rbac': 'internal',
      'auth.authentication_api.external_principals_enabled': true,
      'auth.aws_iam.server_ids': '127.0.0.1',
      'auth.aws_iam.sts_url': sts.url,
    },
  });
  t.after(async () => {
    await srv.stop();
    await sts.close();
  });
  return { sts, srv };
}

describe('cli with credentials.provider.type aws_iam', () => {
  it('logs in as the user its principal stands for, and keeps the token', async t => {
    const { sts, srv } = await startBoth(t);
    await service(srv, 'auth').createUser({ username: 'ann' });
    const home = scratchFolder();
    const server = { CLI_SERVER_ENDPOINT_URL: srv.url };
    const admin = {
      ...server,
      CLI_CREDENTIALS_ACCESS_KEY_ID: srv.key.accessKeyId,
      CLI_CREDENTIALS_SECRET_ACCESS_KEY: srv.key.secretAccessKey,
    };
    const iam = {
      ...server,
      CLI_CREDENTIALS_PROVIDER_TYPE: 'aws_iam',
      CLI_CREDENTIALS_ACCESS_KEY_ID: '',
      CLI_CREDENTIALS_SECRET_ACCESS_KEY: '',
      AWS_ACCESS_KEY_ID: key.accessKeyId,
      AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
      AWS_SESSION_TOKEN: key.sessionToken,
      AWS_REGION: 'eu-west-1',
      XDG_CACHE_HOME: join(home, 'cache'),
    };
    const unknown = await run('cli', ['identity'], home, { env: iam });
    assert.match(unknown.stderr, /external principal not found \(404\)/);
    const role = arn.replace('/laptop', '');
    const attached = await run('cli', ['auth', 'users', 'aws-iam', 'attach', '--id', 'ann', '--principal-id', role], home, { env: admin });
    assert.equal(attached.stdout, `${role} stands for ann.\n`, attached.stderr);
    assert.match((await run('cli', ['identity'], home, { env: iam })).stdout, /^User ID: ann\n/);
    const calls = sts.asked.length;
    assert.deepEqual([...new Set(sts.asked)], ['sts.eu-west-1.amazonaws.com']);
    assert.match((await run('cli', ['identity'], home, { env: { ...iam, AWS_SECRET_ACCESS_KEY: 'gone' } })).stdout, /^User ID: ann\n/);
    assert.equal(sts.asked.length, calls, 'the token of the run before');
    const other = await run('cli', ['identity'], home, { env: { ...iam, AWS_ACCESS_KEY_ID: 'AKIDOTHER0000000' } });
    assert.match(other.stderr, /login by AWS IAM/, 'the token of another principal is not used');
    assert.doesNotMatch(other.stderr, /cannot reach|attempts/);
    const profile = await run('cli', ['identity'], home, { env: { ...iam, AWS_PROFILE: 'reader' } });
    assert.match(profile.stderr, /AWS credentials: /, 'nor that of another profile');
    const [file = ''] = readdirSync(join(home, 'cache', 'srv-cli'));
    assert.equal(statSync(join(home, 'cache', 'srv-cli')).mode & 0o777, 0o700);
    assert.equal(statSync(join(home, 'cache', 'srv-cli', file)).mode & 0o777, 0o600);
    assert.equal(
      (await run('cli', ['auth', 'users', 'aws-iam', 'lookup', '--principal-id', role], home, { env: admin })).stdout,
      attached.stdout,
    );
    assert.match(
      (await run('cli', ['auth', 'users', 'aws-iam', 'list', '--id', 'ann'], home, { env: admin })).stdout,
      /assumed-role\/Dev\tann\n/,
    );
    const detached = await run('cli', ['auth', 'users', 'aws-iam', 'detach', '--id', 'ann', '--principal-id', role], home, { env: admin });
    assert.equal(detached.stdout, `${role} no longer stands for ann.\n`);
  });
});

describe('proofs', () => {
  it('are valid for the server they name, and for no other', async t => {
    const { srv } = await startBoth(t);
    await service(srv, 'accounts').createPrincipal('admin', arn);
    const statusOf = async (headers: Record<string, string>, changes: object = {}): Promise<number> => {
      const token = identityToken({ credentials: key, validity: 60, headers, now: new Date(), ...changes });
      const body = JSON.stringify({ identityRequest: { identity_token: token } });
      const response = await fetch(`${srv.url}/api/v1/auth/external/principal/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      return response.status;
    };
    assert.equal(await statusOf({ 'X-Lakefs-Server-ID': '127.0.0.1' }), 200);
    assert.equal(await statusOf({ 'X-LakeFS-Server-ID': '127.0.0.1' }, { region: 'us-east-2' }), 200);
    assert.equal(await statusOf({ 'X-LakeFS-Server-ID': 'other.example' }), 401);
    assert.equal(await statusOf({}), 401);
    assert.equal(await statusOf({ 'X-LakeFS-Server-ID': '127.0.0.1', 'X-Other': 'x' }), 401);
    assert.equal(await statusOf({ 'X-LakeFS-Server-ID': '127.0.0.1' }, { credentials: { ...key, secretAccessKey: 'guess' } }), 401);
    assert.equal(await statusOf({ 'X-LakeFS-Server-ID': '127.0.0.1' }, { now: new Date(Date.now() - 120_000) }), 403);
  });
});

describe('tokens', () => {
  const source = (server: ScriptedHttp, clock: { now: number }, changes: object = {}) =>
    new TokenSource({
      endpoint: server.url,
      tokenTtl: 3_600_000,
      urlTtl: 60_000,
      refreshInterval: 300_000,
      headers: {},
      cache: new TokenCache(server.url, join(scratchFolder(), 'cache')),
      credentials: async () => ({ credentials: key, region: undefined }),
      now: () => new Date(clock.now),
      ...changes,
    });

  async function counting(t: TestContext, clock: { now: number }) {
    const state = { logins: 0 };
    const server = await ScriptedHttp.open((_request, response) => {
      state.logins++;
      response.end(JSON.stringify({ token: `token ${state.logins}`, token_expiration: Math.floor(clock.now / 1000) + 3600 }));
    });
    t.after(() => server.close());
    return { server, state };
  }

  it('are renewed once, before they end', async t => {
    const clock = { now: Date.now() };
    const { server, state } = await counting(t, clock);
    const tokens = source(server, clock);
    assert.deepEqual([...new Set(await Promise.all(Array.from({ length: 10 }, () => tokens.token())))], ['token 1']);
    clock.now += 54 * 60_000;
    assert.equal(await tokens.token(), 'token 1');
    clock.now += 2 * 60_000;
    assert.deepEqual([...new Set(await Promise.all(Array.from({ length: 10 }, () => tokens.token())))], ['token 2']);
    assert.equal(state.logins, 2);
  });

  it('that are damaged, of another server, or cannot be cached do not stop a command', async t => {
    const clock = { now: Date.now() };
    const { server } = await counting(t, clock);
    const place = scratchFolder();
    const cache = new TokenCache(server.url, place);
    await cache.write({ token: 'kept', expiresAt: Math.floor(clock.now / 1000) + 3600 });
    assert.equal(await source(server, clock, { cache: new TokenCache(server.url, place) }).token(), 'kept');
    assert.equal(await new TokenCache('http://other.example', place).read(), undefined);
    const [file = ''] = readdirSync(place);
    for (const text of ['', '{', '[]', 'null', '{"token":7,"expiration_time":1}', readFileSync(join(place, file), 'utf8').slice(0, 10)]) {
      writeFileSync(join(place, file), text);
      assert.equal(await cache.read(), undefined, text);
    }
    const blocked = join(scratchFolder(), 'file');
    writeFileSync(blocked, '');
    assert.match(await source(server, clock, { cache: new TokenCache(server.url, blocked) }).token(), /^token \d$/);
  });

  it('that a server refuses are an error with its words', async t => {
    const server = await ScriptedHttp.open((_request, response) => response.writeHead(403).end('{"message":"session expired"}'));
    t.after(() => server.close());
    await assert.rejects(
      source(server, { now: Date.now() }).token(),
      /login by AWS IAM at http:\/\/127\.0\.0\.1:\d+: session expired \(403\)/,
    );
  });
});
