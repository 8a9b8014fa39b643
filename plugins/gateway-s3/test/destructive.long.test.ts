/** No request destroys data by accident: sub-resources × methods × `verify_unsupported`, one by one and mixed. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Random } from './support/random.js';
import { send } from './support/raw.js';
import { createRepository, startServer, storedFiles } from './support/server.js';
import type { RawAnswer, RawRequest } from './support/raw.js';
import type { TestServer } from './support/server.js';

const seed = Number(process.env.SRV_TEST_SEED ?? Date.now() % 2 ** 31);
/** Mixed requests per setting. */
const mixed = 1000;

/** Query names that ask for something else than the object itself: those S3 has, had, and may have one day. */
const subResources = `
  accelerate acl analytics annotation append attributes bypass-governance-retention content-range cors defaultObjectAcl delete
  encryption events expiration if-match if-none-match intelligent-tiering inventory lambdaArn legal-hold lifecycle
  location logging metadataConfiguration metadataTable metrics notification object-lock ownershipControls partNumber
  policy policyStatus prefix publicAccessBlock renameObject replication requestPayment restore retention select
  select-type session storageClass symlink tagging torrent uploadId uploads versionId engine versions website
  x-amz-copy-source x-amz-if-match-size x-amz-metadata-directive x-amz-rename-source x-amz-write-offset-bytes zip
  Tagging RETENTION UploadId ACL
`
  .trim()
  .split(/\s+/);
const values = ['', '1', 'null-and-void', 'repo/main/other'];
/** They do not change what a write does. */
const harmless = ['x-id=PutObject', 'response-content-type=text/plain', 'versionId=null', 'versionId', 'x-anything=1'];
/** Headers that turn a request into another one. */
const headers: readonly Readonly<Record<string, string>>[] = [
  { 'x-amz-copy-source': '' },
  { 'x-amz-copy-source': 'repo/main/none' },
  { 'content-range': 'bytes 0-3/100' },
  { 'x-amz-write-offset-bytes': '7' },
  { 'if-match': '"another"' },
  { 'if-none-match': '*' },
  { 'if-none-match': '"x"', 'if-match': '"x"' },
];
const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];
/** Of other protocols. */
const otherMethods = ['PATCH', 'OPTIONS', 'COPY', 'MOVE'];
const writing = new Set(['PUT', 'POST', 'DELETE', 'PATCH', 'COPY', 'MOVE']);
const precious = '/repo/main/precious';
const places = [precious, '/repo', '/repo/', '/repo/main', '/repo/main/'];

for (const verify of [true, false])
  describe(`verify_unsupported ${verify}`, () => {
    let server: TestServer;
    let untouched: string;
    let files: number;

    before(async () => {
      server = await startServer({ 'gateways.s3.verify_unsupported': verify });
      await createRepository(server, 'repo');
      for (const name of ['precious', 'other']) await ask({ method: 'PUT', url: `/repo/main/${name}`, body: `${name} content` });
      untouched = await state();
      files = storedFiles(server).length;
    });
    after(() => server.stop());

    const ask = (request: RawRequest): Promise<RawAnswer> => send(server.port, request);

    /** Everything in the repository that requests could change. */
    async function state(): Promise<string> {
      const engine = server.kernel.services.get('engine');
      const branches = await engine.listBranches('repo');
      const { results } = await engine.list('repo', 'main', { amount: 100 });
      return JSON.stringify([branches.results.map(({ id }) => id), results]);
    }

    /** Sends a request that is not a plain write: it must change nothing, and must not report a write as successful. */
    async function refuse(request: RawRequest): Promise<void> {
      const body = writing.has(request.method ?? '') ? { body: 'destroyed' } : {};
      const answer = await ask({ ...body, ...request });
      const what = `${request.method} ${request.url} ${JSON.stringify(request.headers ?? {})}: ${answer.status} ${answer.code}`;
      assert.equal(await state(), untouched, what);
      if (writing.has(request.method ?? '')) assert.ok(answer.status >= 400 && answer.status < 600 && answer.status !== 500, what);
    }

    /** The one thing a name on the list is really there for. */
    const isMeant = (method: string, url: string): boolean =>
      (method === 'POST' && /^\/repo\/main\/.+[?&]uploads(=|&|$)/.test(url)) ||
      (method === 'DELETE' && /^\/repo\/main\/.+[?&]tagging(=|&|$)/.test(url));

    test('each name with each method, at each place', async () => {
      for (const name of subResources)
        for (const place of places)
          for (const value of place === precious ? values : values.slice(0, 1))
            for (const method of methods) {
              const url = `${place}?${name}${value === '' ? '' : `=${encodeURIComponent(value)}`}`;
              if (isMeant(method, url) || (name === 'versionId' && value === '')) continue;
              // With `x-id` as clients send it, too.
              await refuse({ method, url: value === '1' ? `${url}&x-id=${method}` : url });
            }
      assert.equal(storedFiles(server).length, files);
    });

    test('headers that make another request of it', async () => {
      for (const given of headers)
        for (const method of [...methods, ...otherMethods]) {
          // What only concerns writes with a body does not matter for a delete.
          if (method === 'DELETE' && !('if-match' in given)) continue;
          await refuse({ method, url: precious, headers: given });
        }
      // Nothing can be there: an empty body is a marker only if nothing else is asked for.
      for (const given of headers.filter(one => one['if-none-match'] !== '*'))
        await refuse({ method: 'PUT', url: '/repo/main/', headers: given, body: '' });
      for (const [name, value] of [
        ['x-amz-if-match-size', '1'],
        ['x-amz-if-match-last-modified-time', 'Sun, 06 Nov 1994 08:49:37 GMT'],
        ['x-amz-if-match-last-modified-time', 'yesterday'],
      ] as const)
        await refuse({ method: 'DELETE', url: precious, headers: { [name]: value } });
      assert.equal(storedFiles(server).length, files);
    });

    test(`mixtures (SRV_TEST_SEED=${seed})`, async () => {
      const random = new Random(seed);
      for (let i = 0; i < mixed; i++) {
        const method = random.pick(random.chance(0.9) ? methods : otherMethods);
        const named = random.pick(subResources);
        const value = named === 'versionId' ? random.pick(values.slice(1)) : random.pick(values);
        const query = [...random.some(2, () => random.pick(harmless)), `${named}=${encodeURIComponent(value)}`];
        const [first, ...rest] = random.chance(0.5) ? query : query.reverse();
        const url = `${random.pick(places)}?${[first, ...rest].join('&')}`;
        const given = random.chance(0.3) ? random.pick(headers) : {};
        if (!isMeant(method, url)) await refuse({ method, url, headers: given });
      }
      assert.equal(storedFiles(server).length, files);
    });

    test('bulk deletes take what was meant, or nothing', async () => {
      const remove = (object: string) =>
        ask({ method: 'POST', url: '/repo?delete', body: `<Delete><Object><Key>main/precious</Key>${object}</Object></Delete>` });
      const refusals: readonly (readonly [string, string])[] = [
        ['<VersionId>v7</VersionId>', 'InvalidArgument'],
        ['<ETag>"another"</ETag>', 'PreconditionFailed'],
        ['<Size>1</Size>', 'PreconditionFailed'],
        ['<LastModifiedTime>1994-11-06T08:49:37Z</LastModifiedTime>', 'PreconditionFailed'],
      ];
      for (const [object, code] of refusals) {
        const answer = await remove(object);
        assert.deepEqual([answer.status, answer.code], [200, code], object);
        assert.equal(await state(), untouched, object);
      }
      const entry = await server.kernel.services.get('engine').getEntry('repo', 'main', 'precious');
      const date = entry.lastModified.toISOString();
      const taken = await remove(
        `<VersionId>null</VersionId><ETag>${entry.etag}</ETag><Size>${entry.size}</Size><LastModifiedTime>${date}</LastModifiedTime>`,
      );
      assert.match(taken.body, /<Deleted><Key>main\/precious<\/Key><\/Deleted>/);
      await ask({ method: 'PUT', url: precious, body: 'precious content' });
    });

    test('plain writes work, with what leaves them as they are', async () => {
      for (const query of ['', ...harmless]) {
        const url = `${precious}?${query}`;
        assert.equal((await ask({ method: 'PUT', url, body: `by ${query}` })).status, 200, query);
        assert.equal((await ask({ url: precious })).body, `by ${query}`);
        assert.equal((await ask({ method: 'DELETE', url })).status, 204, query);
        assert.equal((await ask({ url: precious })).code, 'NoSuchKey');
      }
      await ask({ method: 'PUT', url: precious, body: 'x' });
      const { etag } = (await ask({ method: 'HEAD', url: precious })).headers;
      const given = { 'if-match': etag ?? '', 'x-amz-if-match-size': '1' };
      assert.equal((await ask({ method: 'DELETE', url: precious, headers: given })).status, 204);
    });
  });
