/** `srv run --local-settings --workers 2`: the first run, and requests of one client that two processes answer. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListPartsCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { EmbeddedWorkers } from './embedded-workers.js';
import { temporaryFolder } from './programs.js';

const partBytes = 5 << 20;

describe('two workers on embedded storage', { skip: !existsSync('/proc/locks') && 'needs Linux' }, () => {
  const home = temporaryFolder({ after });
  let server: EmbeddedWorkers;

  before(async () => {
    server = await EmbeddedWorkers.start(home, { SRV_LOGGING_AUDIT_LOG_LEVEL: 'INFO' });
  });
  after(() => server.process.end('SIGKILL'));

  it('make the first administrator once, and say so once', async () => {
    const { stderr } = server.process;
    assert.equal([...stderr.matchAll(/First administrator, shown once/g)].length, 1, stderr);
    assert.match(stderr, new RegExp(`Access key ID +${server.setting('access_key_id')}\n`));
    const client = server.client();
    for (let i = 0; i < 4; i++) assert.equal((await client.getCurrentUser()).user.id, 'admin');
    client.close();
    assert.ok(existsSync(join(home, 'srv', 'bin', 'cli')));
    assert.match(await server.run('repo', 'create', 'srv://shared', 'local://shared'), /Repository 'shared' created/);
  });

  it('obey a rule, and refuse a deleted access key, as soon as the other worker has answered', async () => {
    interface Key {
      readonly access_key_id: string;
      readonly secret_access_key: string;
    }
    const own: Key = { access_key_id: server.setting('access_key_id'), secret_access_key: server.setting('secret_access_key') };
    const call = async (key: Key, method: string, path: string, body?: string): Promise<{ status: number; text: string }> => {
      const credentials = Buffer.from(`${key.access_key_id}:${key.secret_access_key}`).toString('base64');
      const headers = { authorization: `Basic ${credentials}`, 'content-type': 'application/json' };
      const response = await fetch(`${server.url}/api/v1${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
      return { status: response.status, text: await response.text() };
    };
    // More connections than workers, which take turns.
    const everywhere = async (status: number, what: string, ask: () => Promise<{ status: number }>): Promise<void> => {
      const answers = await Promise.all(Array.from({ length: 16 }, ask));
      assert.deepEqual([...new Set(answers.map(answer => answer.status))], [status], what);
    };
    const protect = async (rules: readonly object[]): Promise<void> => {
      const { status } = await call(own, 'PUT', '/repositories/shared/settings/branch_protection', JSON.stringify(rules));
      assert.equal(status, 204);
    };
    const upload = () => call(own, 'POST', '/repositories/shared/branches/main/objects?path=ruled', 'x');
    for (let round = 0; round < 5; round++) {
      await everywhere(201, 'no rule yet', upload);
      await protect([{ pattern: 'main' }]);
      await everywhere(403, 'the rule holds', upload);
      await protect([]);

      const key = JSON.parse((await call(own, 'POST', '/auth/users/admin/credentials')).text) as Key;
      await everywhere(200, 'the key is known', () => call(key, 'GET', '/user'));
      await call(own, 'DELETE', `/auth/users/admin/credentials/${key.access_key_id}`);
      await everywhere(401, 'the key is gone', () => call(key, 'GET', '/user'));
    }
  });

  it('complete an S3 upload whose requests are spread over both', async () => {
    const s3 = new S3Client({
      endpoint: server.url,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId: server.setting('access_key_id'), secretAccessKey: server.setting('secret_access_key') },
      // A connection for each request: the workers take turns.
      requestHandler: { httpAgent: new Agent({ keepAlive: false }) },
    });
    const target = { Bucket: 'shared', Key: 'main/large' };
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand(target));
    const parts = Array.from({ length: 6 }, () => randomBytes(partBytes));
    const uploaded = await Promise.all(
      parts.map(async (Body, i) => {
        const { ETag } = await s3.send(new UploadPartCommand({ ...target, UploadId, PartNumber: i + 1, Body }));
        return { ETag, PartNumber: i + 1 };
      }),
    );
    const listed = await s3.send(new ListPartsCommand({ ...target, UploadId }));
    assert.deepEqual(
      listed.Parts?.map(({ ETag, PartNumber }) => ({ ETag, PartNumber })),
      uploaded,
    );
    await s3.send(new CompleteMultipartUploadCommand({ ...target, UploadId, MultipartUpload: { Parts: uploaded } }));
    for (let i = 0; i < 2; i++) {
      const { Body } = await s3.send(new GetObjectCommand(target));
      assert.ok(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(Buffer.concat(parts)));
    }
    const other = { Bucket: 'shared', Key: 'main/aborted' };
    const aborted = await s3.send(new CreateMultipartUploadCommand(other));
    await s3.send(new AbortMultipartUploadCommand({ ...other, UploadId: aborted.UploadId }));
    await assert.rejects(s3.send(new ListPartsCommand({ ...other, UploadId: aborted.UploadId })), { name: 'NoSuchUpload' });
    s3.destroy();
    const workers = new Set(
      [...server.process.stdout.matchAll(/^.*\bUploadPart\b.*$/gm)].map(([line]) => /\bworker=(\d)\b/.exec(line)?.[1]),
    );
    assert.deepEqual(workers, new Set(['1', '2']), server.process.stdout.slice(-3000));
  });
});
