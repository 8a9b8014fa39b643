/** Uploads by forms of browsers, against a real server. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { until } from '@srv/kernel/testing';
import { anonymousBodies } from '@srv/lib-api/http';
import { boundary, formBody, formType, signVersion2, signVersion4 } from './support/forms.js';
import { send } from './support/raw.js';
import { accessKeyId, createRepository, startServer, storedFiles } from './support/server.js';
import type { Socket } from 'node:net';
import type { FormField } from './support/forms.js';
import type { RawAnswer } from './support/raw.js';
import type { TestServer } from './support/server.js';

let server: TestServer;
before(async () => {
  server = await startServer({ 'auth.ui_config.rbac': 'internal', 'gateways.s3.body_timeout': '2s' });
  await createRepository(server, 'repo');
  await createRepository(server, 'other');
  await createRepository(server, 'frozen', { readOnly: true });
});
after(() => server.stop());

const later = (milliseconds = 60_000): string => new Date(Date.now() + milliseconds).toISOString();
type Fields = Readonly<Record<string, string>>;
const usual: Fields = { key: 'main/form/a.txt', acl: 'private', 'Content-Type': 'text/plain' };
const conditions: readonly unknown[] = [
  { bucket: 'repo' },
  ['starts-with', '$key', 'main/form/'],
  { acl: 'private' },
  ['starts-with', '$Content-Type', 'text/plain'],
  ['content-length-range', 0, 1024],
];

interface Form {
  /** Instead of, and in addition to, the usual ones; `undefined` leaves one out. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
  readonly conditions?: readonly unknown[];
  /** Instead of expiration and conditions. */
  readonly policy?: unknown;
  readonly sign?: (policy: unknown) => Fields;
  /** `undefined` leaves the file out. */
  readonly file?: string | Buffer | undefined;
  readonly filename?: string;
  readonly after?: readonly FormField[];
  readonly url?: string;
  readonly headers?: Fields;
}

function bodyOf(form: Form): Buffer {
  const policy = form.policy ?? { expiration: later(), conditions: form.conditions ?? conditions };
  const all = { ...usual, ...(form.sign ?? signVersion2)(policy), ...form.fields };
  const fields = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  const value = 'file' in form ? form.file : 'content';
  const file = value === undefined ? [] : [{ name: 'file', value, filename: form.filename ?? 'a.txt', type: 'application/x-own' }];
  return formBody([...fields, ...file, ...(form.after ?? [])]);
}

const post = (form: Form = {}): Promise<RawAnswer> =>
  send(server.port, {
    method: 'POST',
    url: form.url ?? '/repo',
    headers: { 'content-type': formType, ...form.headers },
    body: bodyOf(form),
    signed: false,
  });
const read = (key: string): Promise<RawAnswer> => send(server.port, { url: `/repo/${key}` });

describe('an upload', () => {
  for (const [version, sign] of [
    ['version 2', signVersion2],
    ['version 4', signVersion4],
  ] as const)
    test(`signed in ${version}`, async () => {
      const key = `main/form/${version.replace(' ', '-')}`;
      const answer = await post({ sign, fields: { key } });
      assert.deepEqual([answer.status, answer.body], [204, ''], answer.body);
      assert.equal(answer.headers['etag'], `"${createHash('md5').update('content').digest('hex')}"`);
      assert.equal(answer.headers['location'], `${server.origin}/repo/${key}`);
      const { body, headers } = await read(key);
      assert.deepEqual([body, headers['content-type']], ['content', 'text/plain']);
      const wrong = (policy: unknown) => sign(policy, { secret: 'another' });
      assert.deepEqual((await post({ sign: wrong })).code, 'SignatureDoesNotMatch');
      const unknownKey = await post({ sign: policy => sign(policy, { id: 'AKIAJUNKNOWNUNKNOWNQ' }) });
      assert.deepEqual([unknownKey.status, unknownKey.code], [403, 'InvalidAccessKeyId']);
    });

  test('of all kinds of fields', async () => {
    const fields = {
      'x-amz-meta-color': 'grün',
      'x-amz-meta-Size': 'L',
      'Cache-Control': 'no-cache',
      'Content-Disposition': 'attachment',
      tagging: '<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>',
      'x-amz-checksum-sha256': createHash('sha256').update('content').digest('base64'),
      'x-ignore-this': 'whatever',
    };
    const allowed = Object.keys(fields)
      .filter(name => !name.startsWith('x-ignore-'))
      .map(name => ['starts-with', `$${name}`, '']);
    const answer = await post({ fields, conditions: [...conditions, ...allowed] });
    assert.deepEqual([answer.status, answer.headers['x-amz-checksum-sha256']], [204, fields['x-amz-checksum-sha256']], answer.body);
    const { headers } = await read('main/form/a.txt');
    assert.deepEqual(
      ['x-amz-meta-color', 'x-amz-meta-size', 'cache-control', 'content-disposition', 'x-amz-tagging-count'].map(name => headers[name]),
      ['=?utf-8?q?gr=C3=BCn?=', 'L', 'no-cache', 'attachment', '1'],
    );
    const wrong = { ...fields, 'x-amz-checksum-sha256': createHash('sha256').update('other').digest('base64') };
    assert.equal((await post({ fields: wrong, conditions: [...conditions, ...allowed] })).code, 'BadDigest');
  });

  test('with conditions on the write', async () => {
    const md5 = (text: string): string => createHash('md5').update(text).digest('base64');
    const codeOf = async (fields: Record<string, string>): Promise<string | undefined> => {
      const answer = await post({
        fields,
        conditions: [...conditions, ...Object.keys(fields).map(name => ['starts-with', `$${name}`, ''])],
      });
      return answer.status === 204 ? undefined : answer.code;
    };
    assert.equal(await codeOf({ 'Content-MD5': md5('content') }), undefined);
    assert.equal(await codeOf({ 'Content-MD5': md5('other') }), 'BadDigest');
    assert.equal(await codeOf({ 'If-None-Match': '*' }), 'PreconditionFailed');
    assert.equal(await codeOf({ 'If-Match': '"other"' }), 'PreconditionFailed');
    assert.equal(await codeOf({ 'If-Match': String((await read('main/form/a.txt')).headers.etag) }), undefined);
  });

  test('with names of fields, operators and conditions in any case', async () => {
    const { key, acl, 'Content-Type': type, ...signed } = { ...usual, ...signVersion2({ expiration: later(), conditions: odd }) };
    const renamed = { kEy: key ?? '', aCl: acl ?? '', 'cONTENT-tYPE': type ?? '' };
    const named = Object.entries({ ...renamed, aWSAccessKeyId: signed['AWSAccessKeyId'] ?? '', pOLICy: signed['policy'] ?? '' });
    const fields = [...named, ['SIGNATURE', signed['signature'] ?? '']].map(([name = '', value = '']) => ({ name, value }));
    const body = formBody([...fields, { name: 'fILE', value: 'in any case', filename: 'x' }]);
    const answer = await send(server.port, { method: 'POST', url: '/repo/', headers: { 'content-type': formType }, body, signed: false });
    assert.equal(answer.status, 204, answer.body);
    assert.equal((await read('main/form/a.txt')).body, 'in any case');
  });
  const odd = [{ bUcKeT: 'repo' }, ['StArTs-WiTh', '$KeY', 'main/form/'], { AcL: 'private' }, ['EQ', '$CoNtEnT-TyPe', 'text/plain']];

  test('whose every field is sent as a file, as some programs do', async () => {
    const fields = Object.entries({ ...usual, ...signVersion2({ expiration: later(), conditions }) });
    const body = formBody([...fields.map(([name, value]) => ({ name, value, filename: name })), { name: 'file', value: 'x' }]);
    const answer = await send(server.port, { method: 'POST', url: '/repo', headers: { 'content-type': formType }, body, signed: false });
    assert.equal(answer.status, 204, answer.body);
  });

  test('under the name of the file', async () => {
    for (const filename of ['named ü+%.txt', 'C:\\folder\\named ü+%.txt', '/home/x/named ü+%.txt']) {
      assert.equal((await post({ fields: { key: 'main/form/${filename}' }, filename, file: filename })).status, 204);
      assert.equal((await read(`main/form/${encodeURIComponent('named ü+%.txt')}`)).body, filename);
    }
    assert.equal((await post({ fields: { key: 'main/form/${filename}' }, filename: '$&$1' })).status, 204);
    assert.equal((await read(`main/form/${encodeURIComponent('$&$1')}`)).body, 'content');
    // What the policy says holds for the whole key.
    assert.equal((await post({ fields: { key: '${filename}' }, filename: 'main' })).code, 'AccessDenied');
    assert.equal((await post({ fields: { key: 'main/form/\\$x' } })).status, 204);
    assert.equal((await read('main/form/%5C$x')).body, 'content');
  });

  test('answers as the form asks', async () => {
    const asked = (name: string, value: string) =>
      post({ fields: { [name]: value }, conditions: [...conditions, ['starts-with', `$${name}`, '']] });
    for (const [value, status] of [
      ['200', 200],
      ['204', 204],
      ['404', 204],
      ['x', 204],
    ] as const) {
      const answer = await asked('success_action_status', value);
      assert.deepEqual([answer.status, answer.body], [status, ''], value);
    }
    const created = await asked('success_action_status', '201');
    assert.equal(created.status, 201);
    const etag = createHash('md5').update('content').digest('hex');
    assert.match(
      created.body,
      /<PostResponse><Location>[^<]*\/repo\/main\/form\/a.txt<\/Location><Bucket>repo<\/Bucket><Key>main\/form\/a.txt</,
    );
    for (const name of ['success_action_redirect', 'redirect'])
      for (const [to, joint] of [
        ['http://other.example/done', '?'],
        ['https://other.example/done?a=b', '&'],
      ] as const) {
        const { status, headers } = await asked(name, to);
        assert.deepEqual([status, headers['location']], [303, `${to}${joint}bucket=repo&key=main/form/a.txt&etag=%22${etag}%22`]);
      }
    for (const to of ['javascript:alert(1)', '/relative', 'http://']) {
      const { status, headers } = await asked('success_action_redirect', to);
      assert.deepEqual([status, headers['location']], [204, `${server.origin}/repo/main/form/a.txt`], to);
    }
  });

  test('by a virtual host, and larger than a connection buffers', async () => {
    const file = randomBytes(5_000_000);
    const large = [...conditions.slice(0, -1), ['content-length-range', 0, 10_000_000]];
    const answer = await post({ url: '/', headers: { host: 'repo.s3.localhost' }, file, conditions: large });
    assert.equal(answer.status, 204, answer.body);
    assert.equal(answer.headers['etag'], `"${createHash('md5').update(file).digest('hex')}"`);
    // Bytes that look like the end of the part.
    const tricky = Buffer.concat([
      file.subarray(0, 100),
      Buffer.from(`\r\n--${boundary.slice(0, -1)}\r\n\r\n--\r\n-`),
      file.subarray(0, 100),
    ]);
    assert.equal((await post({ file: tricky })).headers['etag'], `"${createHash('md5').update(tricky).digest('hex')}"`);
    assert.equal((await post({ file: '' })).status, 204);
    assert.equal((await read('main/form/a.txt')).body, '');
  });
});

/** As people read it. */
const textOf = (xml: string): string =>
  xml.replace(/&(#\d+|lt|gt|quot|amp);/g, (_, name: string) =>
    name.startsWith('#') ? String.fromCharCode(Number(name.slice(1))) : ({ lt: '<', gt: '>', quot: '"' }[name] ?? '&'),
  );

describe('a form is refused, and nothing is stored,', () => {
  const refusals: Readonly<Record<string, readonly [Form, number, string, RegExp?]>> = {
    'without a policy': [{ sign: () => ({}) }, 403, 'AccessDenied'],
    'without a signature': [{ fields: { signature: undefined } }, 400, 'InvalidArgument', /field named 'Signature'/],
    'without an access key': [{ fields: { AWSAccessKeyId: undefined } }, 400, 'InvalidArgument', /AWSAccessKeyId/],
    'without a credential': [{ sign: signVersion4, fields: { 'x-amz-credential': undefined } }, 400, 'InvalidArgument', /X-Amz-Credential/],
    'with a malformed credential': [{ sign: signVersion4, fields: { 'x-amz-credential': 'x' } }, 400, 'InvalidArgument', /mal-formed/],
    'of another algorithm': [{ sign: signVersion4, fields: { 'x-amz-algorithm': 'AWS4-ECDSA' } }, 400, 'InvalidArgument', /only supports/],
    'of another day': [{ sign: signVersion4, fields: { 'x-amz-date': '20130524T000000Z' } }, 400, 'InvalidArgument', /X-Amz-Date/],
    'with a wrong signature': [{ fields: { signature: 'AAAA' } }, 403, 'SignatureDoesNotMatch'],
    'without a key': [{ fields: { key: undefined } }, 400, 'InvalidArgument', /field named 'key'/],
    'without a file': [{ file: undefined }, 400, 'InvalidArgument', /exactly one file/],
    'whose policy is not JSON': [
      { sign: () => (signVersion2('').policy === '' ? {} : { ...signVersion2(''), policy: 'e' }) },
      403,
      'SignatureDoesNotMatch',
    ],
    'whose policy is a text': [{ policy: 'text' }, 400, 'InvalidPolicyDocument', /Invalid JSON/],
    'whose policy has no expiration': [{ policy: { conditions } }, 400, 'InvalidPolicyDocument', /missing expiration/],
    'whose policy has EXPIRATION': [{ policy: { EXPIRATION: later(), conditions } }, 400, 'InvalidPolicyDocument', /missing expiration/],
    'whose expiration has another form': [
      { policy: { expiration: 'tomorrow', conditions } },
      400,
      'InvalidPolicyDocument',
      /'expiration' value: "tomorrow"/,
    ],
    'whose policy has expired': [{ policy: { expiration: later(-1000), conditions } }, 403, 'AccessDenied', /Policy expired/],
    'whose policy has no conditions': [{ policy: { expiration: later() } }, 400, 'InvalidPolicyDocument', /missing conditions/],
    'whose policy has CONDITIONS': [
      { policy: { expiration: later(), CONDITIONS: conditions } },
      400,
      'InvalidPolicyDocument',
      /missing conditions/,
    ],
    'whose conditions are not a list': [
      { policy: { expiration: later(), conditions: {} } },
      400,
      'InvalidPolicyDocument',
      /must be a list/,
    ],
    'with an empty condition': [{ conditions: [{}] }, 400, 'InvalidPolicyDocument', /exactly one property/],
    'with an unknown operator': [
      { conditions: [['ends-with', '$key', 'x']] },
      400,
      'InvalidPolicyDocument',
      /unknown operator "ends-with"/,
    ],
    'with a condition on no field': [{ conditions: [['eq', 'key', 'x']] }, 400, 'InvalidPolicyDocument', /a field with \$/],
    'with half a range of sizes': [{ conditions: [['content-length-range', 0]] }, 400, 'InvalidPolicyDocument', /content-length-range/],
    'with a negative size': [{ conditions: [['content-length-range', -1, 0]] }, 400, 'InvalidPolicyDocument', /content-length-range/],
    'with a field that the policy does not know': [
      { fields: { 'x-amz-meta-a': 'b' } },
      403,
      'AccessDenied',
      /Extra input fields: x-amz-meta-a/,
    ],
    'whose policy does not name the bucket': [{ conditions: conditions.slice(1) }, 403, 'AccessDenied', /Extra input fields: bucket/],
    'for another bucket': [{ url: '/other' }, 403, 'AccessDenied', /Policy Condition failed: \["eq", ?"\$bucket", ?"repo"\]/],
    'for another key': [{ fields: { key: 'main/else' } }, 403, 'AccessDenied', /Policy Condition failed: \["starts-with", ?"\$key"/],
    'without a field of the policy': [
      { conditions: [...conditions, ['starts-with', '$x-amz-meta-a', '']] },
      403,
      'AccessDenied',
      /\$x-amz-meta-a/,
    ],
    'with another value': [{ fields: { acl: 'public-read' } }, 403, 'AccessDenied', /"\$acl"/],
    'with a file that is too large': [{ file: 'x'.repeat(1025) }, 400, 'EntityTooLarge'],
    'with a file that is much too large': [{ file: Buffer.alloc(3_000_000) }, 400, 'EntityTooLarge'],
    'with a file that is too small': [{ conditions: [...conditions, ['content-length-range', 8, 1000]] }, 400, 'EntityTooSmall'],
    'with a field twice': [{ fields: { KEY: 'main/form/b' } }, 400, 'InvalidArgument', /exactly one field named "KEY"/],
    'with large fields': [{ fields: { 'x-ignore-a': 'x'.repeat(50_000) } }, 400, 'MaxPostPreDataLengthExceeded'],
    'with much after the file': [
      { after: [{ name: 'more', value: 'x'.repeat(200_000) }] },
      400,
      'MalformedPOSTRequest',
      /must be the last field/,
    ],
    'for a branch that does not exist': [
      { fields: { key: 'nobranch/x' }, conditions: [['starts-with', '$key', ''], ...conditions.filter((_, i) => i !== 1)] },
      404,
      'NoSuchBucket',
    ],
    'for no path': [
      { fields: { key: 'main' }, conditions: [['starts-with', '$key', ''], ...conditions.filter((_, i) => i !== 1)] },
      400,
      'InvalidArgument',
      /<branch>\/<path>/,
    ],
    'for a repository that does not exist': [
      { url: '/missing', conditions: [{ bucket: 'missing' }, ...conditions.slice(1)] },
      404,
      'NoSuchBucket',
    ],
    'for a read-only repository': [
      { url: '/frozen', conditions: [{ bucket: 'frozen' }, ...conditions.slice(1)] },
      403,
      'ErrReadOnlyRepository',
    ],
    'with keys of a client': [
      {
        fields: { 'x-amz-server-side-encryption-customer-key': 'x' },
        conditions: [...conditions, ['starts-with', '$x-amz-server-side-encryption-customer-key', '']],
      },
      501,
      'NotImplemented',
    ],
    'with malformed tags': [
      { fields: { tagging: 'a=b' }, conditions: [...conditions, ['starts-with', '$tagging', '']] },
      400,
      'MalformedXML',
    ],
  };
  for (const [name, [form, status, code, message]] of Object.entries(refusals))
    test(name, async () => {
      const files = storedFiles(server).length;
      const answer = await post({
        fields: { key: 'main/form/refused' },
        ...form,
        ...(form.fields ? { fields: { key: 'main/form/refused', ...form.fields } } : {}),
      });
      assert.deepEqual([answer.status, answer.code], [status, code], answer.body);
      if (message) assert.match(textOf(answer.body), message);
      assert.equal((await read('main/form/refused')).code, 'NoSuchKey');
      await until(() => storedFiles(server).length === files);
    });

  test('from a user who may not write there', async () => {
    const auth = server.kernel.services.get('auth');
    await auth.createUser({ username: 'limited' });
    const { accessKeyId: id, secretAccessKey: secret } = await auth.createCredential('limited');
    const resource = 'arn:lakefs:fs:::repository/repo/object/form/mine/*';
    await auth.createPolicy('form', [{ effect: 'allow', action: ['fs:WriteObject'], resource }]);
    await auth.attachToUser('limited', 'form');
    const sign = (policy: unknown) => signVersion4(policy, { id, secret });
    assert.equal((await post({ sign, fields: { key: 'main/form/mine/a' } })).status, 204);
    assert.deepEqual((await post({ sign, fields: { key: 'main/form/refused' } })).code, 'AccessDenied');
    assert.equal((await read('main/form/refused')).code, 'NoSuchKey');
  });
});

describe('a body that is not a form', () => {
  const sent = (body: string | Buffer, type = formType) =>
    send(server.port, { method: 'POST', url: '/repo', headers: { 'content-type': type }, body, signed: false });

  test('is refused', async () => {
    for (const [body, type, code] of [
      ['', formType, 'IncompleteBody'],
      ['x', formType, 'IncompleteBody'],
      ['x'.repeat(40_000), formType, 'MalformedPOSTRequest'],
      [`--${boundary}--\r\n`, formType, 'InvalidArgument'],
      [`--${boundary}\r\n\r\nx\r\n--${boundary}--\r\n`, formType, 'MalformedPOSTRequest'],
      [`--${boundary}\r\nContent-Disposition: attachment; name="key"\r\n\r\nx\r\n--${boundary}--\r\n`, formType, 'MalformedPOSTRequest'],
      [`--${boundary}\r\nX: ${'x'.repeat(20_000)}\r\n\r\nx\r\n--${boundary}--\r\n`, formType, 'MalformedPOSTRequest'],
      [bodyOf({}), 'multipart/form-data', 'MalformedPOSTRequest'],
      [bodyOf({}), 'multipart/form-data; boundary=', 'MalformedPOSTRequest'],
      [bodyOf({}).subarray(0, -60), formType, 'IncompleteBody'],
    ] as const) {
      const answer = await sent(body, type);
      assert.deepEqual([answer.status, answer.code], [400, code], `${type} ${body.toString().slice(0, 200)}`);
    }
  });

  test('is no longer waited for when it stops', async () => {
    for (const part of [0.2, 0.97]) {
      const body = bodyOf({ fields: { key: 'main/form/stopped' } });
      const head = `POST /repo HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\ncontent-type: ${formType}\r\ncontent-length: ${body.length}\r\n\r\n`;
      const socket = connect(server.port, '127.0.0.1');
      socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, Math.floor(body.length * part))]));
      const chunks: Buffer[] = [];
      for await (const chunk of socket) {
        chunks.push(chunk as Buffer);
        if (Buffer.concat(chunks).includes('</Error>')) break;
      }
      assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 408 [\s\S]*RequestTimeout/);
      socket.destroy();
    }
    assert.equal((await read('main/form/stopped')).code, 'NoSuchKey');
  });
});

test('memory is held for the fields of a form until its file begins, or its sender leaves', async () => {
  const body = bodyOf({ fields: { key: 'main/form/held' }, file: Buffer.alloc(100_000) });
  const head = `POST /repo HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\ncontent-type: ${formType}\r\ncontent-length: ${body.length}\r\n\r\n`;
  const begin = (length: number): Socket => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, length)]));
    return socket;
  };
  const leaving = begin(100);
  const staying = begin(100);
  await until(() => anonymousBodies.held === 80 * 1024);
  leaving.destroy();
  await until(() => anonymousBodies.held === 40 * 1024);
  staying.write(body.subarray(100, 50_000));
  await until(() => anonymousBodies.held === 0);
  staying.destroy();
});

test('other requests with such a type are what they were', async () => {
  const headers = { 'content-type': formType };
  assert.equal((await send(server.port, { method: 'POST', url: '/repo', headers, body: 'x' })).code, 'ERRLakeFSNotSupported');
  const api = await send(server.port, { method: 'POST', url: '/api/v1/repositories', headers, body: 'x', signed: false });
  assert.equal(api.headers['content-type']?.startsWith('application/json'), true);
  assert.equal((await send(server.port, { method: 'POST', url: '/repo/main/x', headers, body: 'x' })).code, 'MethodNotAllowed');
  assert.ok(accessKeyId);
});
