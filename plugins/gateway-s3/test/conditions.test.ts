/** Conditional reads, at the gateway and in the HTTP API: generated requests against the rules of RFC 9110, section 13.2.2. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { send } from './support/raw.js';
import { accessKeyId, createRepository, secretAccessKey, startServer } from './support/server.js';
import type { RawAnswer } from './support/raw.js';
import type { TestServer } from './support/server.js';

const content = '0123456789';
const tag = createHash('md5').update(content).digest('hex');
let server: TestServer;
/** Of the object, as in the headers. */
let modified: Date;
before(async () => {
  server = await startServer();
  await createRepository(server, 'repo');
  const put = await send(server.port, { method: 'PUT', url: '/repo/main/there', body: content });
  assert.equal(put.status, 200);
  modified = new Date((await send(server.port, { url: '/repo/main/there' })).headers['last-modified'] ?? '');
});
after(() => server.stop());

const basic = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64')}`;
type Headers = Readonly<Record<string, string>>;
const faces: Readonly<Record<string, (method: string, headers: Headers) => Promise<RawAnswer>>> = {
  gateway: (method, headers) => send(server.port, { method, url: '/repo/main/there', headers }),
  API: (method, headers) => {
    const url = '/api/v1/repositories/repo/refs/main/objects?path=there';
    return send(server.port, { method, url, headers: { ...headers, authorization: basic }, signed: false });
  },
};

/** What a value of a header is, rather than its text. */
const tags = { right: `"${tag}"`, weak: `W/"${tag}"`, wrong: '"other"', listed: `"other", "${tag}"`, any: '*' } as const;
const dates = { earlier: -1000, same: 0, later: 1000, junk: Number.NaN } as const;
const validators = { right: `"${tag}"`, wrong: '"other"', weak: `W/"${tag}"`, unquoted: tag, listed: `"${tag}", "other"` } as const;

type Tag = keyof typeof tags;
type When = keyof typeof dates;

interface Asked {
  readonly match?: Tag | undefined;
  readonly noneMatch?: Tag | undefined;
  readonly modifiedSince?: When | undefined;
  readonly unmodifiedSince?: When | undefined;
  readonly range?: keyof typeof validators | When | 'none' | undefined;
}

const names = <T extends object>(table: T) => fc.constantFrom(...(Object.keys(table) as (keyof T)[]));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const asked: fc.Arbitrary<Asked> = fc.record({
  match: maybe(names(tags)),
  noneMatch: maybe(names(tags)),
  modifiedSince: maybe(names(dates)),
  unmodifiedSince: maybe(names(dates)),
  range: maybe(fc.oneof(fc.constant('none' as const), names(validators), names(dates))),
});

const dateText = (when: When): string =>
  Number.isNaN(dates[when]) ? 'yesterday' : new Date(modified.getTime() + dates[when]).toUTCString();
const isDate = (name: string): name is When => Object.hasOwn(dates, name);

function headersOf({ match, noneMatch, modifiedSince, unmodifiedSince, range }: Asked): Headers {
  return {
    ...(match ? { 'if-match': tags[match] } : {}),
    ...(noneMatch ? { 'if-none-match': tags[noneMatch] } : {}),
    ...(modifiedSince ? { 'if-modified-since': dateText(modifiedSince) } : {}),
    ...(unmodifiedSince ? { 'if-unmodified-since': dateText(unmodifiedSince) } : {}),
    ...(range ? { range: 'bytes=2-4' } : {}),
    ...(range && range !== 'none' ? { 'if-range': isDate(range) ? dateText(range) : validators[range] } : {}),
  };
}

/** The five steps of the section. Dates never prove that bytes are the same. */
function expected({ match, noneMatch, modifiedSince, unmodifiedSince, range }: Asked): number {
  if (match === 'wrong' || match === 'weak') return 412;
  if (!match && unmodifiedSince === 'earlier') return 412;
  if (noneMatch && noneMatch !== 'wrong') return 304;
  if (!noneMatch && (modifiedSince === 'same' || modifiedSince === 'later')) return 304;
  return range === 'none' || range === 'right' ? 206 : 200;
}

const bodies: Readonly<Record<number, string>> = { 200: content, 206: '234', 304: '' };

for (const [face, ask] of Object.entries(faces)) {
  test(`conditional reads of the ${face}`, async () => {
    await fc.assert(
      fc.asyncProperty(asked, fc.constantFrom('GET', 'HEAD'), async (request, method) => {
        const answer = await ask(method, headersOf(request));
        assert.equal(answer.status, expected(request), `${method} ${JSON.stringify(headersOf(request))}`);
        if (answer.status !== 412) assert.equal(answer.headers['etag'], `"${tag}"`);
        if (method === 'GET' && answer.status !== 412) assert.equal(answer.body, bodies[answer.status]);
      }),
      { numRuns: 250 },
    );
  });
}
