/** Files larger than what the server may hold, and clients that leave in the middle. */
import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { until } from '@srv/kernel/testing';
import { basicOf, faceKey, heldDuring, largeBytes, makeLargeFile, sendStream, storedBytes, storedFiles } from '@srv/lib-api/testing';
import { startDav } from './support/server.js';
import type { LargeFile } from '@srv/lib-api/testing';
import type { DavServer } from './support/server.js';

/** Bytes that the server may hold more than before. */
const mayHold = 64 << 20;
const authorization = basicOf(faceKey);

let server: DavServer;
let file: LargeFile;
before(async () => {
  server = await startDav();
  file = await makeLargeFile(server.home);
});
after(() => server.stop());

const put = (path: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal) =>
  sendStream(server.url, `/dav/repo/main/${path}`, {
    method: 'PUT',
    headers: { authorization, ...headers },
    body: createReadStream(file.path),
    signal,
  });

const blockFolder = (): string => join(server.home, 'block');

for (const [how, headers] of [
  ['with its length', () => ({ 'content-length': String(file.bytes) })],
  ['in chunks, as Finder does,', () => ({ 'transfer-encoding': 'chunked', 'x-expected-entity-length': String(file.bytes) })],
] as const) {
  const name = how.replaceAll(/\W+/g, '-');
  test(`a file of ${largeBytes / 1e6} MB that is sent ${how} comes back as it was, and the server holds little of it`, async t => {
    const begun = performance.now();
    const held = await heldDuring(async () => assert.equal((await put(name, headers())).status, 201));
    t.diagnostic(
      `${how}: ${((performance.now() - begun) / 1000).toFixed(1)} s, ${(held / 1e6).toFixed(1)} MB held, ${Math.round(process.memoryUsage.rss() / 1e6)} MB resident`,
    );
    assert.ok(held < mayHold, `${held} bytes`);
    const read = await sendStream(server.url, `/dav/repo/main/${name}`, { headers: { authorization } });
    assert.deepEqual([read.status, read.sha256], [200, file.sha256]);
  });

  test(`a client that leaves while it sends a file ${how} leaves nothing`, async () => {
    const [files, bytes] = [storedFiles(blockFolder()), storedBytes(blockFolder())];
    const client = new AbortController();
    const sending = put(`left-${name}`, headers(), client.signal);
    sending.catch(() => undefined);
    await until(() => storedBytes(blockFolder()) > bytes + 20e6);
    client.abort();
    await assert.rejects(sending);
    await until(() => isDeepStrictEqual(storedFiles(blockFolder()), files));
    assert.equal((await server.dav('HEAD', `/repo/main/left-${name}`)).status, 404);
  });
}
