/** Every key of the configuration does what it says; bad values are reported plainly and secrets never shown. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { Config } from '@srv/kernel';
import { createTestKernel, rejectsWith } from '@srv/kernel/testing';
import { createTestMetrics } from '@srv/metrics/testing';
import { freePort } from '@srv/test-servers';
import section from '../src/config.js';
import plugin from '../src/server/index.js';
import { at, pattern, streamOf } from './bodies.js';
import { accessKeyId, openAt, openStore, secretAccessKey } from './opened.js';
import { record, refuse } from './recorded.js';
import type { LogMethod, Logger } from '@srv/kernel';

const object = at('s3://bucket/repo', 'data/x');

/** Runs with other variables of the environment; an absent value removes one. */
async function withEnvironment(variables: Readonly<Record<string, string | undefined>>, work: () => Promise<void>): Promise<void> {
  const saved = Object.keys(variables).map(name => [name, process.env[name]] as const);
  const set = ([name, value]: readonly [string, string | undefined]): void => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  for (const variable of Object.entries(variables)) set(variable);
  try {
    await work();
  } finally {
    for (const variable of saved) set(variable);
  }
}

describe('bad values', () => {
  it('are refused at start, in one sentence each, without the secret', async () => {
    const secret = 'very-secret-0123456789';
    for (const [values, message] of [
      [{ 'credentials.access_key_id': secret }, /credentials\.access_key_id is set without \S+secret_access_key; set both or neither/],
      [{ 'credentials.secret_access_key': secret }, /credentials\.secret_access_key is set without \S+access_key_id/],
      [{ 'credentials.session_token': secret }, /credentials\.session_token is set without \S+access_key_id/],
      [{ server_side_encryption_kms_key_id: 'k' }, /kms_key_id is set without blockstore\.s3\.server_side_encryption/],
      [{ endpoint: 'minio:9000' }, /blockstore\.s3\.endpoint: minio:9000 is not an endpoint; write https:\/\/<host>:<port>/],
      [{ endpoint: 'ftp://minio' }, /is not an endpoint/],
      [{ endpoint: 'http://minio:port' }, /is not an endpoint/],
      [{ endpoint: 'http://minio?region=x' }, /is not an endpoint/],
      [{ pre_signed_endpoint: `https://user:${secret}@host` }, /pre_signed_endpoint: https:\/\/\*{6}@host is not an endpoint/],
      [{ pre_signed_expiry: '0s' }, /pre_signed_expiry: 0s is not allowed; allowed: 1s to 168h/],
      [{ pre_signed_expiry: '169h' }, /pre_signed_expiry: 608400s is not allowed/],
      [{ region: '' }, /blockstore\.s3\.region: must not be empty/],
      [{ max_retries: 0 }, /max_retries.*a whole number from 1/],
    ] as const) {
      await rejectsWith(() => openStore(values), 'config', message);
      await assert.rejects(
        () => openStore(values),
        (error: Error) => !error.stack?.includes(secret),
      );
    }
  });

  it('a credentials file that cannot be read is named', async () => {
    await rejectsWith(
      () => openStore({ credentials_file: '/nowhere/credentials' }),
      'config',
      /^blockstore\.s3\.credentials_file: \/nowhere\/credentials: cannot be read \(ENOENT.*\); correct the path or its permissions$/,
    );
  });

  it('secrets are masked where the configuration is shown', () => {
    const names = ['access_key_id', 'secret_access_key', 'session_token'].map(name => `blockstore.s3.credentials.${name}`);
    const config = Config.create(
      [section],
      names.map(key => ({ key, raw: 'very-secret', source: 'test' })),
    );
    const shown = config.show().filter(({ key }) => names.includes(key));
    assert.deepEqual(
      shown.map(({ value }) => value),
      ['******', '******', '******'],
    );
  });
});

describe('the plugin', () => {
  it('opens the store the configuration names, without a request', async t => {
    const recorder = await record(t);
    const config = { 'blockstore.type': 's3', 'blockstore.s3.endpoint': recorder.url, 'blockstore.s3.region': 'eu-north-1' };
    const { plugin: measuring, scrape } = createTestMetrics();
    const kernel = await createTestKernel({ plugins: [measuring, { plugin, section }], config });
    const block = kernel.services.get('block');
    assert.deepEqual(block.info, {
      type: 's3',
      namespacePattern: '^s3://',
      namespaceExample: 's3://example-bucket/',
      defaultNamespacePrefix: '',
      preSign: true,
      preSignUi: false,
      clientMultipart: true,
      preSignMultipart: true,
      importSupported: true,
      importPattern: '^s3://',
      productionSafe: true,
      region: 'eu-north-1',
    });
    assert.equal(block.resolve(object), 's3://bucket/repo/data/x');
    assert.deepEqual((await scrape()).samples('out_in_use_conns'), [{ name: 'out_in_use_conns', labels: { service: 's3' }, value: 0 }]);
    await kernel.stop();
    await rejectsWith(() => block.exists(object), 'closed');
    assert.deepEqual(recorder.requests, []);
  });
});

describe('credentials', () => {
  let folder = '';
  let file = '';
  const unset = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_SESSION_TOKEN: undefined, AWS_PROFILE: undefined };
  const noStatic = { 'credentials.access_key_id': '', 'credentials.secret_access_key': '' };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'srv-block-s3-'));
    file = join(folder, 'credentials');
    const profile = (name: string): string => `[${name}]\naws_access_key_id = key-of-${name}\naws_secret_access_key = secret-of-${name}\n`;
    await writeFile(file, profile('default') + profile('other'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [name, values, environment, key] of [
    ['static ones count first', { profile: 'other' }, { AWS_ACCESS_KEY_ID: 'of-environment', AWS_SECRET_ACCESS_KEY: 'x' }, accessKeyId],
    ['come from the environment', noStatic, { AWS_ACCESS_KEY_ID: 'of-environment', AWS_SECRET_ACCESS_KEY: 'x' }, 'of-environment'],
    ['come from a profile of the shared file', { ...noStatic, profile: 'other' }, { AWS_SHARED_CREDENTIALS_FILE: 'FILE' }, 'key-of-other'],
    ['come from the named file', { ...noStatic, credentials_file: 'FILE' }, {}, 'key-of-default'],
    ['come from a profile of the named file', { ...noStatic, credentials_file: 'FILE', profile: 'other' }, {}, 'key-of-other'],
    [
      'of a named file count before the environment',
      { ...noStatic, credentials_file: 'FILE' },
      { AWS_ACCESS_KEY_ID: 'of-environment', AWS_SECRET_ACCESS_KEY: 'x' },
      'key-of-default',
    ],
  ] as const) {
    it(name, async t => {
      const filled = (given: object): Record<string, string> =>
        Object.fromEntries(Object.entries(given).map(([k, v]) => [k, v === 'FILE' ? file : String(v)]));
      const recorder = await record(t);
      await withEnvironment({ ...unset, AWS_CONFIG_FILE: join(folder, 'none'), ...filled(environment) }, async () => {
        const store = await openAt(recorder.url, filled(values));
        await store.put(object, Buffer.from('x'));
        await store.close();
      });
      assert.match(recorder.requests[0]?.headers.authorization ?? '', new RegExp(`Credential=${key}/`));
    });
  }

  it('a profile that does not exist is a matter of the configuration', async () => {
    await withEnvironment({ ...unset, AWS_CONFIG_FILE: join(folder, 'none'), AWS_EC2_METADATA_DISABLED: 'true' }, async () => {
      const store = await openAt('http://127.0.0.1:9', { ...noStatic, credentials_file: file, profile: 'missing' });
      await rejectsWith(() => store.exists(object), 'config', /no credentials were found; set blockstore\.s3\.credentials or/);
      await store.close();
    });
  });

  it('a session token goes with every request', async t => {
    const recorder = await record(t);
    const store = await openAt(recorder.url, { 'credentials.session_token': 'the-session-token' });
    await store.put(object, Buffer.from('x'));
    assert.equal(recorder.requests[0]?.headers['x-amz-security-token'], 'the-session-token');
    await store.close();
  });
});

describe('requests', () => {
  it('go to the endpoint, path-style if configured, signed for the region, with a name and without checksums', async t => {
    const recorder = await record(t);
    const store = await openAt(recorder.url, { region: 'eu-west-3' });
    await store.put(object, Buffer.from('abc'));
    await store.put(object, streamOf(pattern(3_000_000)), { size: 3_000_000 });
    for (const { method, url, headers } of recorder.requests) {
      assert.equal(`${method} ${url}`, 'PUT /bucket/repo/data/x?x-id=PutObject');
      assert.equal(headers.host, new URL(recorder.url).host);
      assert.match(headers.authorization ?? '', /\/eu-west-3\/s3\/aws4_request/);
      assert.match(headers['user-agent'] ?? '', /\bsrv\/\d+\.\d+\.\d+\b/);
      assert.equal(headers['x-amz-content-sha256'], 'UNSIGNED-PAYLOAD');
      assert.deepEqual(
        Object.keys(headers).filter(name => /checksum|trailer|transfer-encoding|content-encoding|expect/.test(name)),
        [],
      );
    }
    assert.deepEqual(
      recorder.requests.map(r => [r.length, r.headers['content-length']]),
      [
        [3, '3'],
        [3_000_000, '3000000'],
      ],
    );
    await store.close();
  });

  it('name the bucket in the host without path style', async () => {
    const store = await openAt('http://storage.example:9000', { force_path_style: false });
    assert.match((await store.preSign(object, 'read')).url, /^http:\/\/bucket\.storage\.example:9000\/repo\/data\/x\?/);
    await store.close();
  });

  it('carry the encryption when an object is put, begun or copied, and the storage class', async t => {
    const recorder = await record(t, ({ method, url }, response) => {
      if (method === 'HEAD') response.writeHead(200, { 'content-length': '3', etag: '"e"' }).end();
      else if (url.includes('uploads'))
        response.end('<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>');
      else if (url.includes('CopyObject')) response.end('<CopyObjectResult><ETag>"e"</ETag></CopyObjectResult>');
      else response.writeHead(200, { etag: '"e"' }).end();
    });
    const store = await openAt(recorder.url, { server_side_encryption: 'aws:kms', server_side_encryption_kms_key_id: 'the-key' });
    await store.put(object, Buffer.from('abc'), { storageClass: 'STANDARD_IA' });
    await store.createMultipart(object, { storageClass: 'STANDARD_IA' });
    await store.copy(object, at('s3://bucket', 'copy'));
    const written = recorder.requests.filter(({ method }) => method !== 'HEAD');
    assert.equal(written.length, 3);
    for (const { headers } of written) {
      assert.equal(headers['x-amz-server-side-encryption'], 'aws:kms');
      assert.equal(headers['x-amz-server-side-encryption-aws-kms-key-id'], 'the-key');
    }
    assert.deepEqual(
      written.map(({ headers }) => headers['x-amz-storage-class']),
      ['STANDARD_IA', 'STANDARD_IA', undefined],
    );
    await store.close();
  });

  it('return when the object was written by the clock of the store, and its class', async t => {
    const date = 'Tue, 03 Mar 2026 10:20:30 GMT';
    const recorder = await record(t, (_, response) =>
      response
        .writeHead(200, { date, 'last-modified': date, etag: '"e"', 'content-length': '0', 'x-amz-storage-class': 'GLACIER_IR' })
        .end(),
    );
    const store = await openAt(recorder.url);
    assert.deepEqual(await store.put(object, Buffer.from('')), { lastModified: new Date(date) });
    assert.deepEqual(await store.properties(object), { size: 0, lastModified: new Date(date), etag: 'e', storageClass: 'GLACIER_IR' });
    await store.close();
  });
});

describe('pre-signed URLs', () => {
  it('are valid for the requested time, show their endpoint, and demand nothing of the client', async () => {
    const store = await openAt('http://inside:9000', { pre_signed_expiry: '90s', pre_signed_endpoint: 'https://outside.example' });
    const begin = Math.floor(Date.now() / 1000) * 1000;
    for (const { url, expiry } of [
      await store.preSign(object, 'read', 'a/é.txt'),
      await store.preSign(object, 'write'),
      await store.preSignPart(object, 'the upload', 7),
    ]) {
      const { origin, searchParams } = new URL(url);
      assert.equal(origin, 'https://outside.example');
      assert.equal(searchParams.get('X-Amz-Expires'), '90');
      assert.equal(searchParams.get('X-Amz-SignedHeaders'), 'host');
      assert.ok(expiry && expiry.getTime() >= begin + 90_000 && expiry.getTime() <= Date.now() + 90_000);
      assert.deepEqual(
        [...searchParams.keys()].filter(name => /checksum|sha256/i.test(name)),
        ['X-Amz-Content-Sha256'],
      );
      assert.ok(!url.includes(secretAccessKey));
    }
    const read = new URL((await store.preSign(object, 'read', 'a/é.txt')).url);
    assert.equal(read.searchParams.get('response-content-disposition'), "attachment; filename*=utf-8''%C3%A9.txt");
    const part = new URL((await store.preSignPart(object, 'the upload', 7)).url);
    assert.deepEqual([part.searchParams.get('uploadId'), part.searchParams.get('partNumber')], ['the upload', '7']);
    await store.close();
  });

  it('are for the endpoint of the store by default', async () => {
    const store = await openAt('http://inside:9000');
    assert.ok((await store.preSign(object, 'read')).url.startsWith('http://inside:9000/bucket/repo/data/x?'));
    await store.close();
  });

  it('can be switched off', async () => {
    for (const [values, facts] of [
      [{}, [true, false, true]],
      [{ disable_pre_signed_ui: false }, [true, true, true]],
      [{ disable_pre_signed: true, disable_pre_signed_ui: false }, [false, false, false]],
      [{ disable_pre_signed_multipart: true }, [true, false, false]],
      [{ disable_pre_signed_multipart: false }, [true, false, true]],
    ] as const) {
      const store = await openAt('http://inside:9000', values);
      const { preSign, preSignUi, preSignMultipart } = store.info;
      assert.deepEqual([preSign, preSignUi, preSignMultipart], facts);
      if (!preSign) await rejectsWith(() => store.preSign(object, 'read'), 'unsupported', /blockstore\.s3\.disable_pre_signed$/);
      if (!preSignMultipart) await rejectsWith(() => store.preSignPart(object, 'u', 1), 'unsupported', /disable_pre_signed/);
      await store.close();
    }
  });
});

describe('the region of a bucket', () => {
  it('is asked once, however many need it, and used', async t => {
    const recorder = await record(t, ({ method, url }, response) => {
      // As S3 does for a bucket elsewhere.
      if (method === 'HEAD' && !url.includes('repo')) refuse(response, 301, 'PermanentRedirect', { 'x-amz-bucket-region': 'eu-west-1' });
      else response.writeHead(200, { etag: '"e"' }).end();
    });
    const store = await openAt(recorder.url, { discover_bucket_region: true });
    await Promise.all(Array.from({ length: 5 }, () => store.put(object, Buffer.from('x'))));
    assert.equal(await store.region?.('s3://bucket/repo'), 'eu-west-1');
    const [first, ...puts] = recorder.requests;
    assert.equal(`${first?.method} ${first?.url}`, 'HEAD /bucket/');
    assert.match(first?.headers.authorization ?? '', /\/us-east-1\/s3\//);
    assert.equal(puts.length, 5);
    for (const { method, headers } of puts) {
      assert.equal(method, 'PUT');
      assert.match(headers.authorization ?? '', /\/eu-west-1\/s3\//);
    }
    assert.match((await store.preSign(object, 'read')).url, /eu-west-1/);
    await store.close();
  });

  it('is the default if the store does not report one, which is remembered', async t => {
    const recorder = await record(t, ({ method }, response) => {
      if (method === 'HEAD') refuse(response, 404, '');
      else response.writeHead(200, { etag: '"e"' }).end();
    });
    const store = await openAt(recorder.url, { discover_bucket_region: true, region: 'ap-south-1' });
    for (let i = 0; i < 3; i++) await store.put(object, Buffer.from('x'));
    assert.equal(await store.region?.('s3://bucket'), 'ap-south-1');
    assert.deepEqual(
      recorder.requests.map(r => r.method),
      ['HEAD', 'PUT', 'PUT', 'PUT'],
    );
    await store.close();
  });

  it('is not asked when that is switched off', async t => {
    const recorder = await record(t);
    const store = await openAt(recorder.url);
    assert.equal(await store.region?.('s3://bucket/x'), 'us-east-1');
    await store.put(object, Buffer.from('x'));
    assert.deepEqual(recorder.seen(), ['PUT /bucket/repo/data/x']);
    await store.close();
  });

  it('is the default while the store does not answer', async () => {
    const store = await openAt(`http://127.0.0.1:${await freePort()}`, { discover_bucket_region: true, max_retries: 1 });
    assert.equal(await store.region?.('s3://bucket'), 'us-east-1');
    await rejectsWith(async () => store.region?.('gs://bucket'), 'invalid');
    await store.close();
  });
});

describe('logging', () => {
  it('logs requests and retries at level debug, without secrets', async t => {
    const lines: { message: string; fields: Record<string, unknown> }[] = [];
    const note: LogMethod = (fields, message) => void lines.push({ fields, message });
    const log: Logger = { trace: assert.fail, debug: note, info: assert.fail, warn: assert.fail, error: assert.fail, child: () => log };
    const recorder = await record(t, (_, response, index) => {
      if (index % 2 === 0) refuse(response, 503, 'SlowDown');
      else response.writeHead(200, { etag: '"e"' }).end('content');
    });
    const token = { 'credentials.session_token': 'the-session-token' };
    for (const [values, messages] of [
      [{}, []],
      [{ client_log_request: true }, ['S3 request', 'S3 request']],
      [{ client_log_retries: true }, ['S3 request is retried']],
    ] as const) {
      lines.length = 0;
      const store = await openAt(recorder.url, { ...token, ...values }, { log });
      assert.equal(await text(await store.get(object)), 'content');
      assert.deepEqual(
        lines.map(line => line.message),
        messages,
      );
      const written = JSON.stringify(lines);
      for (const secret of [secretAccessKey, accessKeyId, 'the-session-token', 'Signature'])
        assert.ok(!written.includes(secret), `${secret} is in ${written}`);
      if ('client_log_request' in values) {
        const { method, path, status, attempt } = lines[0]?.fields ?? {};
        assert.deepEqual(
          { method, path, status, attempt },
          { method: 'GET', path: '/bucket/repo/data/x', status: 503, attempt: 'attempt=1; max=5' },
        );
      }
      if ('client_log_retries' in values) assert.match(String(lines[0]?.fields['error']), /SlowDown: set by the test/);
      await store.close();
    }
  });
});
