/** The real programs with seven third-party plugins, named in `plugins.paths`. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { GetBucketAnalyticsConfigurationCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ApiError, createClient } from '@srv/engine/client';
import { until } from '@srv/kernel/testing';
import { RunningProcess } from '../processes.js';
import { cliProgram, launchServer, launchSrv, repositoryRoot, temporaryFolder, untilUp } from '../programs.js';
import { operations } from './plugins/extensions.js';
import { installThirdParty } from './third-party-plugin.js';

const writer = { accessKeyId: 'WRITER', secretAccessKey: 'writes-and-reads' };
const reader = { accessKeyId: 'READER', secretAccessKey: 'only-reads' };

it('each plugin has fewer than 40 lines', () => {
  const folder = join(repositoryRoot, 'test', 'third-party', 'plugins');
  const files = readdirSync(folder);
  assert.equal(files.length, 7);
  for (const file of files) assert.ok(readFileSync(join(folder, file), 'utf8').trimEnd().split('\n').length < 40, file);
});

describe('a server with seven third-party plugins', () => {
  const home = temporaryFolder({ after });
  const folders = [
    ...['kv-json', 'block-ram', 'commit-log', 'extensions', 'static-users'].map(name => installThirdParty(home, name)),
    ...['branch-age', 'shell-sum'].map(name => installThirdParty(home, name, 'cli')),
  ];
  const env = {
    HOME: home,
    SRV_PLUGINS_PATHS: folders.join(),
    SRV_DATABASE_TYPE: 'json',
    KV_JSON_FILE: join(home, 'kv.json'),
    SRV_BLOCKSTORE_TYPE: 'ram',
    SRV_AUTH_UI_CONFIG_RBAC: 'static',
    STATIC_USERS: `ann:${writer.accessKeyId}:${writer.secretAccessKey}:all,bob:${reader.accessKeyId}:${reader.secretAccessKey}:read`,
    SRV_COMMIT_LOG_FILE: join(home, 'commits.log'),
  };
  let server: RunningProcess;
  let url = '';
  before(async () => {
    server = launchServer(home, '127.0.0.1:0', env);
    url = await untilUp(server);
  });
  after(() => server.end('SIGKILL'));

  const client = (key: typeof writer) => createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
  const cli = (...args: string[]) =>
    new RunningProcess(cliProgram, args, {
      cwd: home,
      env: {
        ...env,
        CLI_SERVER_ENDPOINT_URL: url,
        CLI_CREDENTIALS_ACCESS_KEY_ID: writer.accessKeyId,
        CLI_CREDENTIALS_SECRET_ACCESS_KEY: writer.secretAccessKey,
      },
    }).finished;
  const s3 = (credentials: typeof writer) => new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, credentials });

  it('works on both stores, and knows users by the list', async () => {
    const api = client(writer);
    await api.createRepository({ body: { name: 'lakes', storage_namespace: 'ram://bucket/lakes' } });
    await api.uploadObject({ repository: 'lakes', branch: 'main', path: 'a.txt', body: 'four' });
    await api.commit({ repository: 'lakes', branch: 'main', body: { message: 'first' } });
    assert.equal((await api.getCurrentUser()).user.id, 'ann');
    assert.equal((await client(reader).statObject({ repository: 'lakes', ref: 'main', path: 'a.txt' })).size_bytes, 4);
    await assert.rejects(client(reader).createRepository({ body: { name: 'mine', storage_namespace: 'ram://bucket/mine' } }), {
      status: 401,
      message: 'bob may only read',
    });
    await assert.rejects(
      client({ ...writer, secretAccessKey: 'wrong' }).getConfig(),
      (error: unknown) => error instanceof ApiError && error.status === 401,
    );
  });

  it('has a login page, and refuses what only the own plugin for users can do', async () => {
    const state = (await (await fetch(`${url}/api/v1/setup_lakefs`)).json()) as {
      state: string;
      login_config: { RBAC: string; login_url: string };
    };
    assert.deepEqual([state.state, state.login_config.RBAC, state.login_config.login_url], ['initialized', 'none', '']);
    const authorization = `Basic ${Buffer.from(`${writer.accessKeyId}:${writer.secretAccessKey}`).toString('base64')}`;
    for (const [method, path] of [
      ['GET', '/auth/users'],
      ['POST', '/setup_lakefs'],
      ['GET', '/auth/groups'],
    ] as const) {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(method === 'POST' ? { body: '{"username":"x"}' } : {}),
      });
      assert.equal(response.status, 501, `${method} ${path}`);
    }
  });

  it('checks S3 signatures by the same list', async () => {
    await s3(writer).send(new PutObjectCommand({ Bucket: 'lakes', Key: 'main/b.csv', Body: 'sixsix' }));
    await assert.rejects(s3(reader).send(new PutObjectCommand({ Bucket: 'lakes', Key: 'main/c', Body: 'x' })), { name: 'AccessDenied' });
    await assert.rejects(
      s3({ ...writer, secretAccessKey: 'wrong' }).send(new PutObjectCommand({ Bucket: 'lakes', Key: 'main/c', Body: 'x' })),
      {
        name: 'SignatureDoesNotMatch',
      },
    );
  });

  it('has its operation, with permission, document and typed client, and its S3 operation', async () => {
    const { counts } = await client(reader).countExtensions({ repository: 'lakes', ref: 'main' });
    assert.deepEqual(counts, { txt: 1, csv: 1 });
    const unknown = createClient({ operations, endpointUrl: url, retries: { enabled: false } });
    await assert.rejects(unknown.countExtensions({ repository: 'lakes', ref: 'main' }), { status: 401 });
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, unknown> };
    assert.ok(document.paths['/repositories/{repository}/refs/{ref}/extensions']);
    const answer = await fetch(await signedUrl('lakes?analytics'));
    assert.match(await answer.text(), /<Counts><txt>1<\/txt><csv>1<\/csv><\/Counts>$/);
  });

  it('listens to commits, and refuses some', async () => {
    const api = client(writer);
    await api.createBranch({ repository: 'lakes', body: { name: 'release-1', source: 'main' } });
    await api.uploadObject({ repository: 'lakes', branch: 'release-1', path: 'r', body: 'r' });
    const commit = (message: string) => api.commit({ repository: 'lakes', branch: 'release-1', body: { message } });
    await assert.rejects(commit('no ticket'), { status: 412, message: /a commit on release-1 needs a ticket/ });
    await commit('ABC-1: with one');
    // What happens after a commit does not keep it waiting.
    const noted = await until(() => {
      const lines = readFileSync(join(home, 'commits.log'), 'utf8').trimEnd();
      return lines.includes('\n') && lines;
    });
    assert.match(noted, /^lakes main [0-9a-f]{64} first\nlakes release-1 [0-9a-f]{64} ABC-1: with one$/);
  });

  it('has its command and its name in the shell', async () => {
    const ages = await cli('branch', 'age', 'srv://lakes', '-o', 'json');
    assert.equal(ages.code, 0, ages.stderr);
    assert.deepEqual(
      (JSON.parse(ages.stdout) as { id: string }[]).map(({ id }) => id),
      ['main', 'release-1'],
    );
    const sum = await cli('repl', '-e', 'ls -r srv://lakes/main/', '-e', "sum(_, 'size_bytes')");
    assert.match(sum.stdout, /^10$/m, sum.stderr);
  });

  it('lists them with what they tap', async () => {
    const { stdout, stderr } = await launchSrv(home, ['plugins', 'list', '--hooks'], env).finished;
    for (const wire of [
      'openKvStore[json]',
      'openBlockStore[ram]',
      'openIdentity[static]',
      'event[post-commit]',
      'operations',
      'gatewayOperation[GetBucketAnalyticsConfiguration]',
    ])
      assert.ok(stdout.includes(wire), `${wire}\n${stdout}${stderr}`);
  });

  it('names the types there are when another is asked for', async () => {
    const { code, stderr } = await launchSrv(home, ['run', '--local-settings'], { ...env, SRV_DATABASE_TYPE: 'redis' }).finished;
    assert.notEqual(code, 0);
    assert.match(stderr, /database\.type: no enabled plugin opens "redis".*choose one of cosmosdb, dynamodb, json, local, postgres/);
    const off = { ...env, SRV_DATABASE_TYPE: 'postgres', SRV_PLUGINS_DISABLED: 'kv-postgres' };
    const disabled = await launchSrv(home, ['run', '--local-settings'], off).finished;
    assert.match(
      disabled.stderr,
      /database\.type: "postgres" is opened by the plugin kv-postgres, which is switched off; enable kv-postgres or choose/,
    );
  });

  /** A request that the SDK would send, as a URL. */
  async function signedUrl(path: string): Promise<string> {
    const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
    const [bucket = ''] = path.split('?');
    return getSignedUrl(s3(reader), new GetBucketAnalyticsConfigurationCommand({ Bucket: bucket, Id: 'x' }));
  }
});
