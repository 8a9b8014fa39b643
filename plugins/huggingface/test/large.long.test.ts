/** Files larger than what the server may hold, by each way of an upload; and clients that are killed in its middle. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { until } from '@srv/kernel/testing';
import { heldDuring, largeBytes, makeLargeFile, sendStream, storedBytes, storedFiles } from '@srv/lib-api/testing';
import { partitionOf } from '@srv/lib-records';
import { PartialFiles } from '../src/server/lfs/partial-files.js';
import { Xorbs } from '../src/server/xet/record.js';
import { needsHub, needsOldHub, pythonProgram, withOldHub } from './support/python.js';
import { json, line, startHub, token } from './support/server.js';
import type { LargeFile } from '@srv/lib-api/testing';
import type { HubServer } from './support/server.js';

/** Bytes that the server may hold more than before: buffers of streams, and chunks of one file. */
const mayHold = 64 << 20;

let server: HubServer;
let file: LargeFile;
before(async () => {
  server = await startHub();
  file = await makeLargeFile(server.home);
});
after(() => server.stop());

const authorization = `Bearer ${token}`;

/** Sends the file, as a client of its own or from here. An aborted signal ends it in the middle. */
type Upload = (repository: string, signal?: AbortSignal) => Promise<void>;

function byPython(more: Readonly<Record<string, string>>): Upload {
  return async (repository, signal) => {
    const program = pythonProgram(server, ['large.py', `srv/${repository}`, file.path, file.sha256], more);
    const child = spawn(program.file, program.args, { env: program.env, stdio: ['ignore', 'ignore', 'pipe'] });
    signal?.addEventListener('abort', () => child.kill('SIGKILL'));
    let said = '';
    child.stderr.on('data', piece => (said += String(piece)));
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.equal(code, 0, said);
  };
}

async function commitLines(repository: string, body: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<void> {
  const path = `/hf/api/datasets/srv/${repository}/commit/main`;
  const answer = await sendStream(server.url, path, { method: 'POST', headers: { authorization }, body, signal });
  assert.equal(answer.status, 200, answer.body);
}

const inCommit: Upload = (repository, signal) =>
  commitLines(
    repository,
    (async function* () {
      yield Buffer.from(`${line('header', { summary: 'inline' })}{"key":"file","value":{"content":"`);
      // Pieces of a multiple of three bytes have no padding in base64.
      for await (const piece of createReadStream(file.path, { highWaterMark: 3 << 16 }))
        yield Buffer.from((piece as Buffer).toString('base64'));
      yield Buffer.from('","path":"large.bin","encoding":"base64"}}\n');
    })(),
    signal,
  );

const wholeByLfs: Upload = async (repository, signal) => {
  const object = { oid: file.sha256, size: file.bytes };
  const answer = await server.hub('POST', `/datasets/srv/${repository}.git/info/lfs/objects/batch`, {
    body: JSON.stringify({ operation: 'upload', transfers: ['basic'], objects: [object] }),
  });
  const [found] = json(answer)['objects'] as { actions: { upload: { href: string } } }[];
  const sent = await sendStream(server.url, new URL(found?.actions.upload.href ?? '').pathname, {
    method: 'PUT',
    headers: { 'content-length': String(file.bytes) },
    body: createReadStream(file.path),
    signal,
  });
  assert.equal(sent.status, 200, sent.body);
  const lines = [line('header', { summary: 'LFS' }), line('lfsFile', { path: 'large.bin', algo: 'sha256', ...object })];
  await commitLines(
    repository,
    (async function* () {
      yield Buffer.from(lines.join(''));
    })(),
  );
};

/** Files of the block store, with what is being written. */
const blockFolder = (): string => join(server.home, 'block');

async function waitingRecords(repository: string): Promise<number> {
  const { engine, kernel } = server;
  let count = 0;
  for await (const page of kernel.services.get('kv').scan(partitionOf(await engine.getRepository(repository))))
    count += page.filter(({ key }) => key.toString('utf8').startsWith('huggingface-')).length;
  return count;
}

/** As the daily look after the repository does it, a day later. */
async function cleanUp(repository: string): Promise<void> {
  const { kernel, engine } = server;
  const [kv, block, found] = [kernel.services.get('kv'), kernel.services.get('block'), await engine.getRepository(repository)];
  const later = (): number => Date.now() + 86_400_001;
  await new PartialFiles({ engine, kv, block, now: later }).clean(found);
  await new Xorbs(kv, later).clean(found, identifier => block.remove({ namespace: found.storageNamespace, identifier, identifierType: 1 }));
}

for (const [number, [way, skip, upload]] of (
  [
    ['within a commit', false, inCommit],
    ['by LFS, whole', false, wholeByLfs],
    ['by LFS in parts, with an old client', needsOldHub, byPython({ ...withOldHub, HF_HUB_DISABLE_XET: '1' })],
    ['by LFS in parts, with the newest client', needsHub, byPython({ HF_HUB_DISABLE_XET: '1' })],
    ['by Xet', needsHub, byPython({})],
  ] as const
).entries()) {
  test(`a file of ${largeBytes / 1e6} MB comes back as it was sent ${way}, and the server holds little of it`, { skip }, async t => {
    const id = `large-${number}`;
    await server.engine.createRepository({ id, storageNamespace: `local://${id}` });
    const begun = performance.now();
    const held = await heldDuring(() => upload(id));
    t.diagnostic(
      `${way}: ${((performance.now() - begun) / 1000).toFixed(1)} s, ${(held / 1e6).toFixed(1)} MB held, ${Math.round(process.memoryUsage.rss() / 1e6)} MB resident`,
    );
    assert.ok(held < mayHold, `${held} bytes`);
    const read = await sendStream(server.url, `/hf/datasets/srv/${id}/resolve/main/large.bin`, { headers: { authorization } });
    assert.deepEqual([read.status, read.sha256], [200, file.sha256]);
  });

  test(`a client that is killed while it sends a file ${way} leaves nothing`, { skip }, async () => {
    const id = `killed-${number}`;
    await server.engine.createRepository({ id, storageNamespace: `local://${id}` });
    const head = await server.engine.getBranch(id, 'main');
    const [files, bytes] = [storedFiles(blockFolder()), storedBytes(blockFolder())];
    const client = new AbortController();
    const sending = upload(id, client.signal);
    sending.catch(() => undefined);
    await until(() => storedBytes(blockFolder()) > bytes + 20e6);
    client.abort();
    await assert.rejects(sending);
    assert.equal((await server.engine.getBranch(id, 'main')).commitId, head.commitId);
    assert.deepEqual((await server.engine.diffUncommitted(id, 'main', {})).results, []);
    // What a request was writing goes at once, parts and chunks that it had sent before within a day.
    await until(async () => (await waitingRecords(id)) > 0 || isDeepStrictEqual(storedFiles(blockFolder()), files));
    await until(async () => {
      await cleanUp(id);
      return isDeepStrictEqual(storedFiles(blockFolder()), files);
    });
    assert.equal(await waitingRecords(id), 0);
  });
}
