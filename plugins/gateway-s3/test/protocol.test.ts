/** Parts of the protocol, each on its own: addresses, claims, XML, ranges, conditions, metadata, dates. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SrvError, parseDuration } from '@srv/kernel';
import { parseRange } from '@srv/lib-api/http';
import fc from 'fast-check';
import section from '../src/config.js';
import { forwardedHost } from '../src/server/fallback.js';
import { matchHost, parseTarget, splitUri } from '../src/server/protocol/address.js';
import { isGatewayRequest } from '../src/server/protocol/claim.js';
import { writeCondition } from '../src/server/protocol/conditions.js';
import { parseAmzDate } from '../src/server/protocol/dates.js';
import { decodeWords, encodeWords } from '../src/server/protocol/encoded-words.js';
import { S3Error, asS3Error } from '../src/server/protocol/errors.js';
import { HeaderLines } from '../src/server/protocol/headers.js';
import { metadataHeaders, readMetadata } from '../src/server/protocol/metadata.js';
import { percentDecode, percentEncode } from '../src/server/protocol/percent.js';
import { Query } from '../src/server/protocol/query.js';
import { childText, childrenOf, readLongXml, readXml } from '../src/server/protocol/xml-reader.js';
import { document, element } from '../src/server/protocol/xml-writer.js';
import { turnsDuring } from './support/turns.js';

const domains = ['s3.example.com'];

test('hosts and paths', () => {
  const target = (host: string, url: string) => parseTarget(splitUri(url).path, matchHost(host, domains));
  assert.deepEqual(target('foo.s3.example.com:8000', '/bar/a/b/c/'), { kind: 'object', repository: 'foo', ref: 'bar', path: 'a/b/c/' });
  assert.deepEqual(target('127.0.0.1', '/foo/bar/a/b/c?x=1'), { kind: 'object', repository: 'foo', ref: 'bar', path: 'a/b/c' });
  assert.deepEqual(target('S3.Example.Com', '/'), { kind: 'service' });
  for (const url of ['/foo', '/foo/']) assert.deepEqual(target('h', url), { kind: 'bucket', repository: 'foo' });
  assert.deepEqual(target('foo.s3.example.com', '/'), { kind: 'bucket', repository: 'foo' });
  assert.deepEqual(target('h', '/foo/bar/'), { kind: 'root', repository: 'foo', ref: 'bar', path: '' });
  for (const url of ['/foo/bar', '/foo//x', '//x/y']) assert.equal(target('h', url)?.kind, 'nothing', url);
  assert.deepEqual(target('h', '/foo/bar/../a//b/./%2e%2e/%2F+%2B'), {
    kind: 'object',
    repository: 'foo',
    ref: 'bar',
    path: '../a//b/./..//++',
  });
  assert.deepEqual(target('h', 'http://h/foo/bar/x'), { kind: 'object', repository: 'foo', ref: 'bar', path: 'x' });
  for (const url of ['/foo/bar/%zz', '/foo/bar/%ff', '/foo/%']) assert.equal(target('h', url), undefined, url);
  assert.equal(matchHost('a.b.s3.example.com', domains).known, false);
  assert.equal(matchHost('foos3.example.com', domains).known, false);
});

test('which requests are the gateway\u2019s', () => {
  const claims = (facts: Partial<Parameters<typeof isGatewayRequest>[0]>) =>
    isGatewayRequest({ host: 'h', query: new Query(''), ...facts }, domains);
  assert.ok(claims({ host: 's3.example.com' }));
  assert.ok(claims({ host: 'repo.s3.example.com:80' }));
  assert.ok(claims({ authorization: 'AWS4-HMAC-SHA256 …' }));
  assert.ok(claims({ authorization: 'AWS key:sig' }));
  assert.ok(claims({ signature: 'x' }));
  assert.ok(claims({ query: new Query('X-Amz-Credential=a') }));
  assert.ok(claims({ query: new Query('a=b&AWSAccessKeyId=a') }));
  for (const no of [
    {},
    { host: 'a.b.s3.example.com' },
    { authorization: 'Bearer AWS4' },
    { authorization: 'AWSX' },
    { query: new Query('X-Amz-Credential=') },
    { query: new Query('x=AWSAccessKeyId') },
  ])
    assert.equal(claims(no), false, JSON.stringify(no));
});

test('configuration', () => {
  const decode = (raw: unknown) => section.keys['gateways.s3.domain_name'].decode(raw);
  assert.deepEqual(decode('a.example.com, b.example.com'), ['a.example.com', 'b.example.com']);
  const problems = (domain: readonly string[], url?: string) =>
    section.check?.({
      'gateways.s3.domain_name': domain,
      'gateways.s3.region': 'r',
      'gateways.s3.fallback_url': url,
      'gateways.s3.verify_unsupported': true,
      'gateways.s3.cors_allowed_origins': [],
      'gateways.s3.list_tags': false,
      'gateways.s3.upload_expiry': 0,
      'gateways.s3.list_uploads_with_ref': false,
      'gateways.s3.body_timeout': 120_000,
    });
  // Numbers without a unit are nanoseconds: defaults have one.
  const milliseconds = (name: 'gateways.s3.upload_expiry' | 'gateways.s3.body_timeout') =>
    section.keys[name].decode(section.keys[name].default);
  assert.equal(milliseconds('gateways.s3.upload_expiry'), 30 * 24 * 3_600_000);
  assert.equal(milliseconds('gateways.s3.body_timeout'), 120_000);
  assert.deepEqual(problems(['a.example.com', 'example.org']), []);
  assert.match(problems(['a.example.com', 'example.com'])?.[0] ?? '', /sub-domain of example\.com/);
  assert.match(problems(['http://x'])?.[0] ?? '', /host names/);
  assert.deepEqual(problems(['x'], 'https://s3.example.com/base'), []);
  assert.match(problems(['x'], 'ftp://y')?.[0] ?? '', /http:/);
  // They would not be sent: requests are forwarded with the signatures that they have.
  assert.deepEqual(problems(['x'], 'https://key:secret@s3.example.com'), [
    'gateways.s3.fallback_url: "https://******@s3.example.com" is not an http:// or https:// address without user and password',
  ]);
  const timeout = (text: string) => section.keys['gateways.s3.body_timeout'].decode(text);
  for (const text of ['0', '0s', '1ms', '2m', '596h']) assert.equal(timeout(text), parseDuration(text), text);
  for (const text of ['597h', '720h', '2147483648ms']) assert.throws(() => timeout(text), { message: 'a duration of at most 596h' }, text);
});

test('percent-encoding keeps every text', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), text => assert.equal(percentDecode(percentEncode(text, '/')), text)));
  assert.equal(percentEncode('a b+c/é~*', '/'), 'a%20b%2Bc/%C3%A9~%2A');
});

test('XML round trip', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const legal = [...text].every(char => /[\t\n\r\x20-\ud7ff\ue000-\ufffd]|[\u{10000}-\u{10ffff}]/u.test(char));
      const read = readXml(document(element('A', [element('K', text)])), 'A');
      if (legal) assert.equal(childText(read, 'K'), text);
    }),
  );
  assert.equal(
    document(element('A', `"'&<>\t\n\r\u0001`)),
    '<?xml version="1.0" encoding="UTF-8"?>\n<A>&#34;&#39;&amp;&lt;&gt;&#x9;&#xA;&#xD;\ufffd</A>',
  );
});

test('XML of requests: prefixes, sections, refusals', () => {
  const root = readXml(
    '<s3:Delete xmlns:s3="http://s3.amazonaws.com/doc/2006-03-01/"><s3:Object><s3:Key><![CDATA[a<b]]>&amp;c&#x41;</s3:Key></s3:Object></s3:Delete>',
    'Delete',
  );
  assert.equal(childText(childrenOf(root, 'Object')[0] ?? assert.fail('there is an object'), 'Key'), 'a<b&cA');
  assert.throws(() => childText(readXml('<a><b>1</b><b>2</b></a>', 'a'), 'b'), { code: 'MalformedXML' });
  const deep = '<a>'.repeat(5000) + '</a>'.repeat(5000);
  const bad = [
    '',
    ' ',
    'x',
    '<a>',
    '<a></b>',
    '<a/><b/>',
    '<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>',
    '<a>&nope;</a>',
    '<a b=c/>',
    deep,
    '<a>\u0000</a>',
    '{"a":1}',
    '<b><a/></b>',
    '<A/>',
  ];
  for (const text of bad)
    assert.throws(
      () => readXml(text, 'a'),
      (error: unknown) => error instanceof S3Error && error.code === 'MalformedXML',
      text.slice(0, 60),
    );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      try {
        readXml(text, 'a');
      } catch (error) {
        assert.ok(error instanceof S3Error);
      }
    }),
  );
});

test('long XML is read as short XML is, wherever it is cut, and others get their turn meanwhile', async () => {
  const keys = Array.from({ length: 20_000 }, (_, i) => `${'𝔵\r\n'.repeat(i % 7)}&${i}<é>`);
  const text = document(
    element(
      'A',
      keys.map(key => element('K', key)),
    ),
  );
  const turns = await turnsDuring(async () => {
    const { children } = await readLongXml(text, 'A');
    assert.deepEqual(
      children.map(child => child.text),
      keys,
    );
  });
  assert.ok(turns >= 5, `${turns} turns`);
  for (const bad of ['', '<a>', '<b><a/></b>', `<a>${'x'.repeat(20_000)}</b>`, `<a/>${' '.repeat(20_000)}<b/>`])
    await assert.rejects(readLongXml(bad, 'a'), { code: 'MalformedXML' }, bad.slice(0, 20));
});

test('ranges', () => {
  const part = (start: number, end: number) => ({ kind: 'part', range: { start, end } });
  const rows: [string | undefined, number, unknown][] = [
    [undefined, 10, { kind: 'whole' }],
    ['bytes=0-0', 10, part(0, 0)],
    ['bytes=2-', 10, part(2, 9)],
    ['bytes=2-99', 10, part(2, 9)],
    ['bytes=-3', 10, part(7, 9)],
    ['bytes=-99', 10, part(0, 9)],
    ['bytes=10-', 10, { kind: 'outside' }],
    ['bytes=-0', 10, { kind: 'outside' }],
    ['bytes=0-', 0, { kind: 'outside' }],
    ['bytes=-5', 0, { kind: 'whole' }],
    ['bytes=-0', 0, { kind: 'outside' }],
    ['bytes=5-2', 10, { kind: 'whole' }],
    ['bytes=0-1,3-4', 10, { kind: 'whole' }],
    ['bytes=-', 10, { kind: 'whole' }],
    ['items=0-1', 10, { kind: 'whole' }],
  ];
  for (const [header, size, answer] of rows) assert.deepEqual(parseRange(header, size), answer, String(header));
});

test('conditions of writes', () => {
  assert.deepEqual(writeCondition('*', undefined), { ifAbsent: true });
  assert.deepEqual(writeCondition(undefined, '"abc-2"'), { ifMatch: 'abc-2' });
  assert.equal(writeCondition('', ''), undefined);
  assert.throws(() => writeCondition('"abc"', undefined), /not implemented/);
});

test('metadata: round trip, limits, names', () => {
  const read = (headers: Record<string, string>) => readMetadata(new HeaderLines(Object.entries(headers).flat()));
  const utf8 = Buffer.from('été', 'utf8').toString('latin1');
  assert.deepEqual(read({ 'X-Amz-Meta-Key': 'v', 'x-amz-meta-uni': utf8, 'x-amz-meta-word': '=?UTF-8?B?w6k=?= =?iso-8859-1?q?=E9_x?=' }), {
    'X-Amz-Meta-key': 'v',
    'X-Amz-Meta-uni': 'été',
    'X-Amz-Meta-word': 'éé x',
  });
  assert.throws(() => read({ 'x-amz-meta-a': '=?koi8-r?q?x?=' }), /Invalid header value/);
  assert.doesNotThrow(() => read({ 'x-amz-meta-a': 'x'.repeat(2047) }));
  assert.throws(() => read({ 'x-amz-meta-a': 'x'.repeat(2048) }), /exceed/);
  assert.deepEqual(read({ 'content-encoding': 'aws-chunked', 'cache-control': 'no-cache' }), { 'Cache-Control': 'no-cache' });
  assert.deepEqual(read({ 'content-encoding': 'gzip,aws-chunked' }), { 'Content-Encoding': 'gzip' });
  assert.deepEqual(metadataHeaders({ 'X-Amz-Meta-key': 'é', 'X-Amz-Meta-a b': '1', other: 'x', 'Content-Encoding': 'gzip' }), {
    'x-amz-meta-key': '=?utf-8?q?=C3=A9?=',
    'x-amz-missing-meta': '1',
    'Content-Encoding': 'gzip',
  });
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      const encoded = encodeWords(text);
      assert.match(encoded, /^[\x20-\x7e\t]*$/);
      assert.equal(decodeWords(encoded), text);
    }),
  );
});

test('dates', () => {
  assert.equal(parseAmzDate('20130524T000000Z')?.toISOString(), '2013-05-24T00:00:00.000Z');
  for (const bad of ['20130532T000000Z', '20130230T000000Z', '2013-05-24', '20130524T250000Z'])
    assert.equal(parseAmzDate(bad), undefined, bad);
});

test('errors of the product become S3 errors that reveal no internals', () => {
  assert.equal(asS3Error(new SrvError('protected', 'x')).code, 'ErrWriteToProtectedBranch');
  assert.equal(asS3Error(new SrvError('slow_down', 'x')).status, 503);
  assert.equal(asS3Error(Object.assign(new Error('x'), { code: 'ENFILE' })).code, 'ServiceUnavailable');
  assert.equal(asS3Error(new Error('password')).message, 'We encountered an internal error, please try again.');
});

test('hosts of forwarded requests', () => {
  assert.equal(forwardedHost('bucket.s3.example.com:8000', 'other.net', domains), 'bucket.other.net');
  assert.equal(forwardedHost('10.0.0.1:8000', 'other.net', domains), '10.0.0.1:8000');
});
