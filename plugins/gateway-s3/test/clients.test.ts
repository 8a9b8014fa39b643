/** Programs people use, where they are installed, against a real server. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessKeyId, createRepository, secretAccessKey, startServer } from './support/server.js';
import type { TestServer } from './support/server.js';

let server: TestServer;
let folder: string;
const large = randomBytes(17 * 1024 * 1024);
const strange = 'a b+c%20ü&(1).txt';

before(async () => {
  server = await startServer();
  await createRepository(server, 'repo');
  folder = join(server.home, 'files');
  mkdirSync(join(folder, 'tree', 'sub'), { recursive: true });
  writeFileSync(join(folder, 'large'), large);
  writeFileSync(join(folder, 'tree', strange), 'strange');
  writeFileSync(join(folder, 'tree', 'sub', 'plain.txt'), 'plain');
});
after(() => server.stop());

/** Settings for other servers must not matter here. */
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(AWS|RCLONE)_/.test(name)));

interface Ran {
  readonly code: number;
  readonly out: string;
}

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return new Promise(resolve => {
    const options = {
      env: {
        ...inherited,
        HOME: server.home,
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
        AWS_DEFAULT_REGION: 'us-east-1',
        ...env,
      },
      timeout: 60_000,
    };
    execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, out: stdout + stderr });
    });
  });
}

const installed = (program: string): Promise<boolean> =>
  new Promise(resolve => execFile(program, ['--version'], error => resolve(error === null)));

/** Runs a program that must succeed. */
async function ok(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, out } = await run(program, args, env);
  assert.equal(code, 0, `${program} ${args.join(' ')}\n${out}`);
  return out;
}

test('AWS CLI', async t => {
  if (!(await installed('aws'))) return t.skip('skipped: needs aws');
  const aws = (...args: string[]) => ok('aws', ['--endpoint-url', server.url, ...args]);
  await aws('s3', 'cp', join(folder, 'large'), 's3://repo/main/aws/large');
  await aws('s3', 'sync', join(folder, 'tree'), 's3://repo/main/aws/tree');
  assert.match(await aws('s3', 'ls', 's3://repo/'), /PRE main\//);
  assert.match(await aws('s3', 'ls', '--recursive', 's3://repo/main/aws/'), /main\/aws\/tree\/a b\+c%20ü&\(1\)\.txt/);
  await aws('s3', 'cp', 's3://repo/main/aws/large', join(folder, 'large.aws'));
  assert.ok(readFileSync(join(folder, 'large.aws')).equals(large));
  await aws('s3', 'cp', 's3://repo/main/aws/large', 's3://repo/main/aws/copy');
  await aws('s3', 'mv', `s3://repo/main/aws/tree/${strange}`, `s3://repo/main/aws/moved ${strange}`);
  const url = (await aws('s3', 'presign', `s3://repo/main/aws/moved ${strange}`)).trim();
  assert.equal(await (await fetch(url)).text(), 'strange');
  assert.match(
    await aws(
      's3api',
      'put-object',
      '--bucket',
      'repo',
      '--key',
      'main/aws/api',
      '--body',
      join(folder, 'tree', 'sub', 'plain.txt'),
      '--metadata',
      'Color=blue',
    ),
    /ETag/,
  );
  assert.match(await aws('s3api', 'head-object', '--bucket', 'repo', '--key', 'main/aws/api'), /"color": "blue"/);
  await aws('s3', 'rm', '--recursive', 's3://repo/main/aws/');
  assert.equal((await run('aws', ['--endpoint-url', server.url, 's3', 'ls', 's3://repo/main/aws/'])).out, '');
});

test('s3cmd', async t => {
  if (!(await installed('s3cmd'))) return t.skip('skipped: needs s3cmd');
  const host = `127.0.0.1:${server.port}`;
  const base = [
    '--access_key',
    accessKeyId,
    '--secret_key',
    secretAccessKey,
    '--host',
    host,
    '--host-bucket',
    host,
    '--no-ssl',
    '--no-progress',
    '--config',
    '/dev/null',
  ];
  for (const [place, options] of [
    ['s3cmd', []],
    ['s3cmd-v2', ['--signature-v2']],
  ] as const) {
    const s3cmd = (...args: string[]) => ok('s3cmd', [...base, ...options, ...args]);
    await s3cmd('put', join(folder, 'large'), `s3://repo/main/${place}/large`, '--multipart-chunk-size-mb', '5');
    await s3cmd('put', join(folder, 'tree', strange), `s3://repo/main/${place}/${strange}`);
    assert.match(await s3cmd('ls', 's3://repo/'), /s3:\/\/repo\/main\//);
    assert.match(await s3cmd('ls', '--recursive', `s3://repo/main/${place}/`), /a b\+c%20ü&\(1\)\.txt/);
    await s3cmd('get', '--force', `s3://repo/main/${place}/large`, join(folder, `large.${place}`));
    assert.ok(readFileSync(join(folder, `large.${place}`)).equals(large));
    await s3cmd('cp', `s3://repo/main/${place}/${strange}`, `s3://repo/main/${place}/copy`);
    await s3cmd('del', '--recursive', '--force', `s3://repo/main/${place}/`);
    assert.equal((await s3cmd('ls', '--recursive', `s3://repo/main/${place}/`)).trim(), '');
  }
});

test('rclone', async t => {
  const present = await new Promise<boolean>(resolve => execFile('rclone', ['version'], error => resolve(error === null)));
  if (!present) return t.skip('skipped: needs rclone');
  const env = {
    RCLONE_CONFIG: '/dev/null',
    RCLONE_CONFIG_SRV_TYPE: 's3',
    RCLONE_CONFIG_SRV_PROVIDER: 'Other',
    RCLONE_CONFIG_SRV_ACCESS_KEY_ID: accessKeyId,
    RCLONE_CONFIG_SRV_SECRET_ACCESS_KEY: secretAccessKey,
    RCLONE_CONFIG_SRV_ENDPOINT: server.url,
    RCLONE_CONFIG_SRV_REGION: 'us-east-1',
    RCLONE_S3_NO_CHECK_BUCKET: 'true',
  };
  const rclone = (...args: string[]) => ok('rclone', args, env);
  await rclone(
    'copy',
    folder,
    'srv:repo/main/rclone',
    '--s3-upload-cutoff',
    '8M',
    '--s3-chunk-size',
    '5M',
    '--include',
    '/large',
    '--include',
    '/tree/**',
  );
  await rclone('check', folder, 'srv:repo/main/rclone', '--include', '/large', '--include', '/tree/**');
  await rclone('check', '--download', folder, 'srv:repo/main/rclone', '--include', '/large', '--include', '/tree/**');
  assert.match(await rclone('lsf', 'srv:repo'), /^main\/$/m);
  assert.match(await rclone('lsf', '-R', 'srv:repo/main/rclone'), /tree\/a b\+c%20ü&\(1\)\.txt/);
  await rclone('moveto', 'srv:repo/main/rclone/large', 'srv:repo/main/rclone/moved');
  assert.equal(await rclone('cat', 'srv:repo/main/rclone/tree/sub/plain.txt'), 'plain');
  await rclone('purge', 'srv:repo/main/rclone');
});
