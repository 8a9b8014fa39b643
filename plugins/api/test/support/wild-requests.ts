/** Requests that no client should send, made with fast-check: near misses of real ones, and nonsense. */

import { basePath } from '@srv/lib-api';
import fc from 'fast-check';
import { bodies, parameters } from './example-requests.js';
import type { AnyOperation } from '@srv/lib-api';

export interface WildRequest {
  readonly operation: AnyOperation;
  readonly method: string;
  /** Written to the request line as it is, one byte per character. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Names that exist at the server under test. */
const known: Readonly<Record<string, readonly string[]>> = {
  repository: ['lakes', 'lakes', 'lakes', 'missing'],
  branch: ['main', 'dev', 'main', 'none'],
  ref: ['main', 'dev', 'v1', 'main~1', 'main^2', 'dev$', 'dev@'],
  sourceRef: ['main', 'dev', 'v1'],
  destinationBranch: ['main', 'dev'],
  path: ['a/1', 'a/2', 'b', 'x//y/', 'ü'],
};

/** Would spoil the run for all later requests; a repository that moves answers 503. */
const spared = new Set(['deleteRepository', 'startStorageMove', 'deleteUser', 'deleteCredentials']);

const trick = fc.constantFrom(
  '.',
  '..',
  '../..',
  '%2e%2e%2f',
  '%00',
  '%',
  '%zz',
  '%ff%fe',
  '%c0%af',
  '%ed%a0%80',
  'a%2fb',
  '//',
  '\\',
  ';',
  '?',
  '#',
  '&',
  '=',
  '%0d%0aX: y',
  '{}',
  '$%7Bjndi:x}',
  "'; --",
  '<script>',
  '\u00ff\u00fe',
  '*',
  '__proto__',
  'constructor',
  'toString',
  'NaN',
  'null',
  '%20',
);
const hugeNumber = fc.constantFrom(
  '-1',
  '0',
  '1',
  '1001',
  '9007199254740993',
  '1e309',
  '-1e400',
  '99999999999999999999999',
  '0x10',
  '1.5',
  'Infinity',
  '١',
);
const encoded = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  text.map(value => encodeURIComponent(Buffer.from(value, 'utf8').toString('utf8')));
const anyText = fc.oneof(
  { weight: 4, arbitrary: encoded(fc.string({ maxLength: 40 })) },
  { weight: 2, arbitrary: encoded(fc.string({ unit: 'binary', maxLength: 40 })) },
  { weight: 3, arbitrary: trick },
  { weight: 2, arbitrary: hugeNumber },
  { weight: 1, arbitrary: fc.nat(3000).map(length => 'a'.repeat(length)) },
);

function valueFor(name: string): fc.Arbitrary<string> {
  const good = known[name] ?? [parameters[name] ?? 'x'];
  return fc.oneof({ weight: 4, arbitrary: encoded(fc.constantFrom(...good)) }, { weight: 1, arbitrary: anyText });
}

function targetOf({ path, query = {}, operationId }: AnyOperation): fc.Arbitrary<string> {
  const places = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const values = fc.tuple(...places.map(name => (name === 'repository' && spared.has(operationId) ? anyText : valueFor(name))));
  const required = Object.keys(query).filter(name => query[name]?._flags.presence === 'required');
  const asked = fc
    .tuple(fc.subarray(Object.keys(query)), fc.integer({ min: 0, max: 9 }))
    .map(([some, luck]) => (luck === 0 ? some : [...new Set([...required, ...some])]))
    .chain(names => fc.tuple(...names.map(name => valueFor(name).map(value => `${name}=${value}`))));
  const extra = fc.option(
    fc.tuple(anyText, anyText).map(([name, value]) => `${name}=${value}`),
    { freq: 9, nil: undefined },
  );
  return fc.tuple(values, asked, extra).map(([filled, pairs, more]) => {
    const parts = [...pairs, ...(more === undefined ? [] : [more])];
    const place = path.replace(/\{(\w+)\}/g, (_, name: string) => filled[places.indexOf(name)] ?? '');
    return `${basePath}${place}${parts.length > 0 ? `?${parts.join('&')}` : ''}`.replace(/[^\x21-\xff]/g, '%20');
  });
}

/** A good body with one thing changed, or none at all. */
function jsonOf(example: unknown): fc.Arbitrary<unknown> {
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom(
      -1,
      0,
      1.5,
      2 ** 53,
      1e308,
      -(2 ** 31) - 1,
      2 ** 32,
      '',
      null,
      true,
      [],
      {},
      [[]],
      '\ud800',
      '\u0000',
      'a'.repeat(5000),
    ),
  );
  if (Array.isArray(example))
    return fc.oneof(fc.constant(example), fc.array(odd, { maxLength: 4 }), ...example.map(item => jsonOf(item).map(changed => [changed])));
  if (typeof example !== 'object' || example === null) return fc.oneof(fc.constant(example), odd);
  const entries = Object.entries(example);
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(example) },
    { weight: 1, arbitrary: odd },
    {
      weight: 4,
      arbitrary: fc
        .tuple(...entries.map(([name, value]) => jsonOf(value).map(changed => [name, changed])))
        .map(pairs => Object.fromEntries(pairs)),
    },
    { weight: 2, arbitrary: fc.subarray(entries).map(some => Object.fromEntries(some)) },
    { weight: 1, arbitrary: fc.tuple(fc.string(), odd).map(([name, value]) => ({ ...example, [name]: value })) },
  );
}

const malformed = fc.constantFrom(
  '',
  '{',
  '[',
  '"',
  '{"a":}',
  'nul',
  '{"a":1,}',
  '[1',
  '\u0000',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{}}}',
  '1e999',
  '['.repeat(20_000),
  '{"a":'.repeat(5_000),
);

function bodyOf(operation: AnyOperation): fc.Arbitrary<Buffer | undefined> {
  if (operation.method === 'GET' || operation.method === 'HEAD') return fc.constant(undefined);
  const bytes = fc.uint8Array({ maxLength: 300 }).map(array => Buffer.from(array));
  if (operation.body === 'stream') return bytes;
  return fc.oneof(
    { weight: 8, arbitrary: jsonOf(bodies[operation.operationId] ?? {}).map(value => Buffer.from(JSON.stringify(value) ?? '')) },
    { weight: 1, arbitrary: malformed.map(text => Buffer.from(text)) },
    { weight: 1, arbitrary: bytes },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

const types = fc.constantFrom(
  'application/json',
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'image/',
  ';',
  'application/x-www-form-urlencoded',
);
const oddHeaders = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  {},
  {},
  {},
  { range: 'bytes=5-1' },
  { range: 'bytes=99999999999999999999-' },
  { 'if-none-match': '"' },
  { 'if-match': '*' },
  { 'if-none-match': '*' },
  { cookie: 'a=%; access_token=;' },
  { 'x-forwarded-for': 'not an address,,' },
  { 'content-encoding': 'gzip' },
  { accept: '\u00ff' },
  { 'x-lakefs-meta-': 'x' },
  { 'x-lakefs-meta-__proto__': 'x' },
  { 'content-encoding': 'unknown' },
  { 'accept-encoding': 'gzip;q=x' },
);

/** Requests to the given operations alike. */
export function wildRequestOf(operations: readonly AnyOperation[]): fc.Arbitrary<WildRequest> {
  return fc.constantFrom(...operations).chain(operation =>
    fc.tuple(targetOf(operation), bodyOf(operation), types, oddHeaders).map(([target, body, type, odd]) => ({
      operation,
      method: operation.method,
      target,
      headers: { ...(body === undefined ? {} : { 'content-type': type, 'content-length': String(body.length) }), ...odd },
      body,
    })),
  );
}
