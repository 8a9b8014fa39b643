/** Objects whose bytes are not what their entry says: lost, cut off, or others. Every face says so before it begins to answer. */
import assert from 'node:assert/strict';
import { appendFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { commitId, encodeCommit } from '@srv/engine/refs/messages';
import { partitionOf } from '@srv/lib-records';
import { send } from './support/raw.js';
import { accessKeyId, createRepository, secretAccessKey, startServer, storedFiles } from './support/server.js';
import type { TestContext } from 'node:test';
import type { RawAnswer, RawRequest } from './support/raw.js';
import type { TestServer } from './support/server.js';

let server: TestServer;
before(async () => {
  server = await startServer();
  await createRepository(server, 'repo');
});
after(() => server.stop());

const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64')}`;
type Face = (name: string, headers: Readonly<Record<string, string>>) => Promise<RawAnswer>;
const faces: Readonly<Record<string, Face>> = {
  gateway: (name, headers) => send(server.port, { url: `/repo/main/${name}`, headers }),
  API: (name, headers) => {
    const url = `/api/v1/repositories/repo/refs/main/objects?path=${name}`;
    return send(server.port, { url, headers: { ...headers, authorization }, signed: false });
  },
};

/** An object of that many bytes. @returns the file that holds them. */
async function put(name: string, size: number): Promise<string> {
  const before = new Set(storedFiles(server));
  const body = Buffer.alloc(size, 'x');
  assert.equal((await send(server.port, { method: 'PUT', url: `/repo/main/${name}`, body })).status, 200);
  const [file, ...others] = storedFiles(server).filter(found => !before.has(found));
  assert.ok(file !== undefined && others.length === 0, 'one file holds the object');
  return join(server.home, file);
}

/** Lines of the log while `work` runs. */
async function logged(t: TestContext, work: () => Promise<void>): Promise<string> {
  const streams = [t.mock.method(process.stdout, 'write'), t.mock.method(process.stderr, 'write')];
  await work();
  const lines = streams.flatMap(({ mock }) => mock.calls.map(call => String(call.arguments[0])));
  for (const { mock } of streams) mock.restore();
  return lines.join('');
}

test('bytes that cannot be read in the middle of an object are in the log', async t => {
  await put('unreadable', 500_000);
  const engine = server.kernel.services.get('engine');
  t.mock.method(engine, 'open', async () => Readable.from(halfOf('a disk error'), { objectMode: false }));
  for (const ask of Object.values(faces)) {
    const log = await logged(t, async () => {
      const { status, body, headers } = await ask('unreadable', {});
      assert.deepEqual([status, headers['content-length']], [200, '500000']);
      assert.ok(body.length < 500_000);
    });
    assert.match(log, /level=error[^\n]*a disk error/);
  }
});

async function* halfOf(failure: string): AsyncGenerator<Buffer> {
  yield Buffer.alloc(250_000, 'x');
  throw new Error(failure);
}

const damages: Readonly<Record<string, (file: string, size: number) => void>> = {
  shorter: (file, size) => truncateSync(file, size - 3),
  empty: file => truncateSync(file, 0),
  longer: file => appendFileSync(file, 'more'),
};

for (const size of [10, 70_000, 3_000_000])
  describe(`an object of ${size} bytes`, () => {
    for (const [damage, inflict] of Object.entries(damages))
      test(`whose file is ${damage}`, async t => {
        const name = `${damage}-${size}`;
        inflict(await put(name, size), size);
        for (const [face, ask] of Object.entries(faces)) {
          const log = await logged(t, async () => {
            const whole = await ask(name, {});
            assert.equal(whole.status, 500, face);
            assert.match(whole.body, face === 'gateway' ? /<Code>InternalError<.*another size/s : /"message"/);
            // What does not reach the end of the file is there, unless all of it is gone.
            const part = await ask(name, { range: 'bytes=0-2' });
            assert.equal(part.status, damage === 'empty' ? 500 : 206, face);
            if (damage !== 'longer') assert.equal((await ask(name, { range: 'bytes=-2' })).status, 500, face);
          });
          assert.match(log, /level=error[^\n]*the block store has \d+ bytes at local:/, face);
        }
      });

    test('whose file is gone', async () => {
      const name = `gone-${size}`;
      rmSync(await put(name, size));
      const answer = await faces['gateway']?.(name, {});
      assert.deepEqual([answer?.status, answer?.code], [500, 'InternalError']);
      assert.match(answer?.body ?? '', /missing from the block store/);
      assert.equal((await faces['API']?.(name, {}))?.status, 410);
      for (const url of [`/repo/main/copy-${name}`, await partUrl(`part-${name}`)])
        for (const more of [{}, { 'x-amz-checksum-algorithm': 'SHA1' }]) {
          const copied = await send(server.port, { method: 'PUT', url, headers: { 'x-amz-copy-source': `/repo/main/${name}`, ...more } });
          assert.deepEqual([copied.status, copied.code], [500, 'InternalError'], `${url} ${JSON.stringify(more)}`);
        }
    });
  });

for (const [what, metarangeId] of [
  ['lost', '0'.repeat(64)],
  ['not named by an id, as earlier versions accepted', 'typo'],
] as const)
  test(`an object whose metadata is ${what} is not reported as missing`, async () => {
    const branch = `of-${metarangeId.slice(0, 4)}`;
    const id = await branchAt(branch, metarangeId);
    const source = { 'x-amz-copy-source': `/repo/${branch}/a` };
    const requests: readonly RawRequest[] = [
      { url: `/repo/${branch}/a` },
      { url: `/repo/${id}/a` },
      { url: `/repo/${branch}/a?tagging` },
      { method: 'PUT', url: '/repo/main/copy', headers: source },
      { method: 'PUT', url: await partUrl('part'), headers: source },
    ];
    for (const request of requests) {
      const answer = await send(server.port, request);
      assert.deepEqual([answer.status, answer.code], [500, 'InternalError'], request.url);
    }
    assert.equal((await send(server.port, { method: 'HEAD', url: `/repo/${branch}/a` })).status, 500);
  });

/** A branch at a commit with that metarange. @returns the commit's id. */
async function branchAt(branch: string, metarangeId: string): Promise<string> {
  const { services } = server.kernel;
  const record = { committer: 'c', message: 'm', creationDate: new Date(), metarangeId, metadata: {}, parents: [] };
  const id = commitId(record);
  const repository = await services.get('engine').getRepository('repo');
  const value = encodeCommit({ ...record, id, version: 1, generation: 1 });
  await services.get('kv').set(partitionOf(repository), Buffer.from(`commits/${id}`), value);
  await services.get('engine').createBranch('repo', branch, id);
  return id;
}

/** Where a part of a new upload goes. */
async function partUrl(name: string): Promise<string> {
  const url = `/repo/main/${name}`;
  const { body } = await send(server.port, { method: 'POST', url: `${url}?uploads` });
  return `${url}?uploadId=${/<UploadId>(.*)<\/UploadId>/.exec(body)?.[1] ?? ''}&partNumber=1`;
}
