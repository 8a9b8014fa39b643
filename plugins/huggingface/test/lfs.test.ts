/** Large files by LFS: asked for, sent without credentials, committed. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { SrvError } from '@srv/kernel';
import { filesBelow } from '@srv/kernel/testing';
import { sendRaw } from '@srv/lib-api/testing';
import { partitionOf } from '@srv/lib-records';
import { bytesOfPart, partCountOf } from '../src/server/lfs/part-sizes.js';
import { PartialFiles } from '../src/server/lfs/partial-files.js';
import { Uploads } from '../src/server/lfs/record.js';
import { signedPath, verified } from '../src/server/lfs/signed-url.js';
import { addUser, json, line, startHub } from './support/server.js';
import type { HubServer } from './support/server.js';

let server: HubServer;
let ann: string;
before(async () => {
  server = await startHub({ 'auth.ui_config.rbac': 'internal' });
  await server.engine.createRepository({ id: 'zoo', storageNamespace: 'local://zoo' });
  ann = await addUser(server, 'ann', [{ action: ['fs:*'], resource: '*' }]);
});
after(() => server.stop());

const content = randomBytes(300_000);
const oid = createHash('sha256').update(content).digest('hex');
const size = content.length;
const storedFiles = (): number => filesBelow(server.home).filter(name => /\/data\/.*\/.+/.test(name)).length;
/** With parts of uploads. */
const allFiles = (): number => filesBelow(join(server.home, 'block')).length;

interface LfsObject {
  readonly oid: string;
  readonly actions?: {
    readonly upload: { readonly href: string; readonly header: Readonly<Record<string, string>> };
    readonly verify: { readonly href: string };
    readonly download: { readonly href: string };
  };
  readonly error?: { readonly code: number };
}

const askFor = (more: object, headers: Readonly<Record<string, string>> = {}) =>
  server.hub('POST', '/datasets/srv/zoo.git/info/lfs/objects/batch', {
    headers: { 'content-type': 'application/vnd.git-lfs+json', ...headers },
    body: JSON.stringify({ operation: 'upload', transfers: ['basic'], hash_algo: 'sha256', ...more }),
  });

async function batch(
  objects: readonly object[],
  more: object = {},
  headers?: Readonly<Record<string, string>>,
): Promise<readonly LfsObject[]> {
  const answer = await askFor({ objects, ...more }, headers);
  assert.equal(answer.status, 200, answer.body);
  assert.equal(answer.headers['content-type'], 'application/vnd.git-lfs+json');
  return json(answer)['objects'] as readonly LfsObject[];
}

const put = (href: string, body: Buffer) => sendRaw(server.url, new URL(href).pathname, { method: 'PUT', body });
const commit = (value: object, authorization?: string) =>
  server.hub('POST', '/api/datasets/srv/zoo/commit/main', {
    headers: authorization === undefined ? undefined : { authorization },
    body: line('header', { summary: 'large', description: '' }) + line('lfsFile', value),
  });

test('only a body with the announced hash and size is taken, by the signed URL alone', async () => {
  const [object] = await batch([{ oid, size }]);
  const href = object?.actions?.upload.href ?? '';
  const files = storedFiles();
  assert.equal(
    (
      await put(
        href.replace(/.$/, last => (last === '0' ? '1' : '0')),
        content,
      )
    ).status,
    403,
  );
  assert.equal((await put(href.replace(oid, '0'.repeat(64)), content)).status, 403);
  assert.equal((await put(href, content.subarray(1))).status, 400);
  assert.equal((await put(href, Buffer.alloc(size))).status, 400);
  assert.equal(storedFiles(), files);
  const verify = () =>
    server.hub('POST', new URL(object?.actions?.verify.href ?? '').pathname.replace('/hf', ''), { body: JSON.stringify({ oid, size }) });
  assert.equal((await verify()).status, 404);
  assert.equal((await put(href, content)).status, 200);
  assert.equal((await verify()).status, 200);
  assert.deepEqual(await batch([{ oid, size }]), [{ oid, size }], 'what is there is not asked for again');
});

test('an uploaded content is committed by its user, and by no other one', async () => {
  assert.equal((await commit({ path: 'ann.bin', algo: 'sha256', oid, size }, ann)).status, 400);
  assert.equal((await commit({ path: 'large.bin', algo: 'sha256', oid, size })).status, 200);
  const read = await server.hub('GET', '/datasets/srv/zoo/resolve/main/large.bin');
  assert.ok(read.bytes.equals(content));
  assert.equal(read.headers.etag, `"${oid}"`);
  assert.equal((await commit({ path: 'copy.bin', oid }, ann)).status, 200, 'a file of the head that ann may read is copied');
  const limited = await addUser(server, 'limited', [
    { action: ['fs:CreateCommit', 'fs:WriteObject'], resource: 'arn:lakefs:fs:::repository/zoo*' },
  ]);
  assert.equal((await commit({ path: 'stolen.bin', oid }, limited)).status, 400, 'knowing a hash gives no right to read');
});

test('an upload whose bytes are gone, such as by garbage collection, is sent again', async () => {
  const lost = randomBytes(5000);
  const file = { oid: createHash('sha256').update(lost).digest('hex'), size: lost.length };
  const before = new Set(filesBelow(join(server.home, 'block')));
  const [asked] = await batch([file]);
  assert.equal((await put(asked?.actions?.upload.href ?? '', lost)).status, 200);
  assert.equal((await batch([file]))[0]?.actions, undefined, 'it is there');
  const added = filesBelow(join(server.home, 'block')).filter(name => !before.has(name));
  for (const name of added) rmSync(join(server.home, 'block', name));
  const refused = await commit({ path: 'lost.bin', algo: 'sha256', ...file });
  assert.equal(refused.status, 410);
  assert.match(refused.body, /the content for lost\.bin was removed.*upload it again/);
  const [again] = await batch([file]);
  assert.equal((await put(again?.actions?.upload.href ?? '', lost)).status, 200);
  assert.equal((await commit({ path: 'lost.bin', algo: 'sha256', ...file })).status, 200);
});

test('URLs of many parts are made while other requests are answered, and not without end', async () => {
  const file = (n: number) => ({ oid: String(n).padStart(64, '0'), size: 2 ** 40 });
  const files = (count: number) => Array.from({ length: count }, (_, n) => file(n));
  const multipart = { transfers: ['multipart', 'basic'] };
  const refused = await askFor({ objects: files(201), ...multipart });
  assert.equal(refused.status, 413);
  assert.match(refused.body, /201 files have 201000 parts, more than 200000 in one request; ask for fewer files at a time/);
  let isDone = false;
  const asking = batch(files(5), multipart).finally(() => {
    isDone = true;
  });
  let answered = 0;
  for (; !isDone; answered++) await server.hub('GET', '/api/datasets/srv/zoo');
  assert.ok(answered > 3, `${answered} requests meanwhile`);
  for (const { actions } of await asking) assert.equal(Object.keys(actions?.upload.header ?? {}).length, 1001);
});

test('a file whose record may have been written stays', async t => {
  const body = randomBytes(1000);
  const small = { oid: createHash('sha256').update(body).digest('hex'), size: body.length };
  const [object] = await batch([small]);
  const kv = server.kernel.services.get('kv');
  const write = kv.set.bind(kv);
  const { mock } = t.mock.method(kv, 'set', async (...record: Parameters<typeof write>) => {
    await write(...record);
    throw new SrvError('unavailable', 'no answer to a write');
  });
  assert.equal((await put(object?.actions?.upload.href ?? '', body)).status, 503);
  mock.restore();
  assert.equal((await commit({ path: 'recorded.bin', ...small })).status, 200);
  assert.ok((await server.hub('GET', '/datasets/srv/zoo/resolve/main/recorded.bin')).bytes.equals(body));
});

interface PartsFile {
  readonly oid: string;
  readonly size: number;
  readonly content: Buffer;
}

/** A file of this many parts, of which the last is small. */
function fileOf(parts: number, text: string): PartsFile {
  const content = Buffer.alloc((parts - 1) * bytesOfPart(1 << 30, 1) + 1000, text);
  return { oid: createHash('sha256').update(content).digest('hex'), size: content.length, content };
}

const long = fileOf(3, 'three parts, ');
const partsOf = ({ header }: { readonly header: Readonly<Record<string, string>> }): readonly string[] =>
  Object.keys(header)
    .filter(name => name !== 'chunk_size')
    .toSorted()
    .map(name => header[name] ?? '');
const complete = (href: string, etags: readonly unknown[]) =>
  sendRaw(server.url, new URL(href).pathname, {
    method: 'POST',
    body: JSON.stringify({ parts: etags.map((etag, i) => ({ partNumber: i + 1, etag })) }),
  });

interface PartsUpload {
  readonly href: string;
  readonly urls: readonly string[];
  readonly pieces: readonly Buffer[];
}

async function askForParts({ oid, size, content }: PartsFile = long): Promise<PartsUpload> {
  const [object] = await batch([{ oid, size }], { transfers: ['basic', 'multipart'] });
  const upload = object?.actions?.upload;
  assert.ok(upload);
  const length = Number(upload.header['chunk_size']);
  const urls = partsOf(upload);
  return { href: upload.href, urls, pieces: urls.map((_, i) => content.subarray(i * length, (i + 1) * length)) };
}

/** Sends all parts. @returns their tags. */
async function sendParts({ urls, pieces }: PartsUpload): Promise<readonly unknown[]> {
  const etags: unknown[] = [];
  for (const [i, url] of urls.entries()) {
    const sent = await put(url, pieces[i] ?? content);
    assert.equal(sent.status, 200, sent.body);
    etags.push(sent.headers.etag);
  }
  return etags;
}

const later = (): number => Date.now() + 86_400_001;
const partialFiles = (now?: () => number): PartialFiles => {
  const { engine, kernel } = server;
  return new PartialFiles({ engine, kv: kernel.services.get('kv'), block: kernel.services.get('block'), now });
};
async function cleanLater(): Promise<void> {
  await partialFiles(later).clean(await server.engine.getRepository('zoo'));
}

test('a file in parts is refused if one is missing, of another length, or other bytes, and nothing of it stays', async () => {
  const files = storedFiles();
  const { href, urls, pieces } = await askForParts();
  assert.equal(urls.length, 3);
  assert.equal((await put(urls[0] ?? '', pieces[2] ?? content)).status, 400, 'a part of another length');
  assert.equal((await put(href, content)).status, 405);
  assert.equal((await complete(urls[0] ?? '', [])).status, 405);
  assert.equal((await complete(href, ['"x"'])).status, 400, 'a list of too few parts');
  const first = await put(urls[0] ?? '', pieces[0] ?? content);
  assert.equal(first.status, 200, first.body);
  assert.equal((await complete(href, [first.headers.etag, 'x', 'x'])).status, 400, 'parts that never arrived');
  await cleanLater();
  assert.equal((await complete(href, [first.headers.etag, 'x', 'x'])).status, 409, 'the upload is over');
  const again = await askForParts();
  const etags: unknown[] = [];
  for (const [i, url] of again.urls.entries()) etags.push((await put(url, Buffer.alloc(again.pieces[i]?.length ?? 0))).headers.etag);
  const refused = await complete(again.href, etags);
  assert.equal(refused.status, 400);
  assert.match(refused.body, /SHA-256/);
  assert.equal(storedFiles(), files);
  assert.equal((await commit({ path: 'long.bin', oid: long.oid, size: long.size })).status, 400);
});

test('parts of a file that is never completed are removed after a day', async () => {
  const kv = server.kernel.services.get('kv');
  const files = allFiles();
  const { urls, pieces } = await askForParts();
  assert.equal((await put(urls[2] ?? '', pieces[2] ?? content)).status, 200);
  assert.ok(allFiles() > files);
  const repository = await server.engine.getRepository('zoo');
  await partialFiles().clean(repository);
  assert.ok(allFiles() > files, 'an upload that has just begun stays');
  await partialFiles(later).clean(repository);
  assert.equal(allFiles(), files);
  for await (const page of kv.scan(partitionOf(repository)))
    for (const { key } of page) assert.doesNotMatch(key.toString('utf8'), /^huggingface-parts/);
});

test('a file in parts arrives in any order, and is one object', async () => {
  const { href, urls, pieces } = await askForParts();
  const etags = await Promise.all(urls.map(async (url, i) => (await put(url, pieces[i] ?? content)).headers.etag));
  for (const { status } of await Promise.all([complete(href, etags), complete(href, etags)])) assert.equal(status, 200);
  assert.equal((await complete(href, etags)).status, 200, 'an answer that was lost is given again');
  assert.equal((await commit({ path: 'long.bin', oid: long.oid, size: long.size })).status, 200);
  const entry = await server.engine.getEntry('zoo', 'main', 'long.bin');
  assert.deepEqual([entry.size, entry.etag], [long.size, createHash('md5').update(long.content).digest('hex')]);
  const read = await server.hub('GET', '/datasets/srv/zoo/resolve/main/long.bin');
  assert.ok(read.bytes.equals(long.content));
});

test('an upload that has ended takes no parts, and its file stays', async () => {
  const file = fileOf(2, 'committed, ');
  const { oid, size } = file;
  const upload = await askForParts(file);
  const etags = await sendParts(upload);
  assert.equal((await complete(upload.href, etags)).status, 200);
  const isIntact = async (path: string): Promise<boolean> =>
    (await server.hub('GET', `/datasets/srv/zoo/resolve/main/${path}`)).bytes.equals(file.content);
  assert.equal((await commit({ path: 'kept.bin', oid, size })).status, 200);
  const files = allFiles();
  for (const body of [upload.pieces[0] ?? content, Buffer.alloc(upload.pieces[0]?.length ?? 0)]) {
    const late = await put(upload.urls[0] ?? '', body);
    assert.equal(late.status, 409);
    assert.match(late.body, /has ended/);
  }
  assert.equal(allFiles(), files, 'nothing began');
  assert.equal((await complete(upload.href, etags)).status, 200, 'an answer that was lost is given again');
  assert.equal((await complete(upload.href, etags.toReversed())).status, 200, 'what the list says is of no use any more');
  assert.ok(await isIntact('kept.bin'));
  await cleanLater();
  assert.ok(await isIntact('kept.bin'));
});

test('a wrong list of parts is refused, and the right one completes the upload', async () => {
  const file = fileOf(2, 'wrong list, ');
  const upload = await askForParts(file);
  const first = await put(upload.urls[0] ?? '', upload.pieces[0] ?? content);
  const refused = async (etags: readonly unknown[], message: string): Promise<void> => {
    const answer = await complete(upload.href, etags);
    assert.deepEqual([answer.status, json(answer)['message']], [400, message.replaceAll('"', '')]);
  };
  await refused([first.headers.etag, '"x"'], `part 2 of the file ${file.oid} has not arrived`);
  const etags = await sendParts(upload);
  await refused(etags.toReversed(), `part 1 of the file ${file.oid} has the etag ${String(etags[0])}, and another one in the list`);
  assert.equal((await complete(upload.href, etags)).status, 200);
  assert.equal((await commit({ path: 'listed.bin', oid: file.oid, size: file.size })).status, 200);
});

test('a file is completed though its client leaves, and the same request waits for it', async t => {
  const file = fileOf(2, 'left, ');
  const upload = await askForParts(file);
  const etags = await sendParts(upload);
  const block = server.kernel.services.get('block');
  const read = block.get.bind(block);
  const events = new EventEmitter();
  const [reading, left] = [once(events, 'reading'), once(events, 'left')];
  const { mock } = t.mock.method(block, 'get', async (...asked: Parameters<typeof read>) => {
    events.emit('reading');
    await left;
    return read(...asked);
  });
  const client = request(new URL(upload.href), { method: 'POST' });
  client.on('error', () => undefined);
  client.end(JSON.stringify({ parts: etags.map((etag, i) => ({ partNumber: i + 1, etag })) }));
  await reading;
  client.destroy();
  const retry = complete(upload.href, etags);
  await setTimeout(100);
  events.emit('left');
  assert.equal((await retry).status, 200);
  assert.equal(mock.callCount(), 1, 'it is read once');
  assert.equal((await commit({ path: 'left.bin', oid: file.oid, size: file.size })).status, 200);
});

test('a file that could not be read for its hash is completed by the next request', async t => {
  const file = fileOf(2, 'failed, ');
  const upload = await askForParts(file);
  const etags = await sendParts(upload);
  const block = server.kernel.services.get('block');
  const { mock } = t.mock.method(block, 'get', () => Promise.reject(new SrvError('unavailable', 'the disk is away')));
  assert.equal((await complete(upload.href, etags)).status, 503);
  mock.restore();
  assert.equal((await put(upload.urls[0] ?? '', upload.pieces[0] ?? content)).status, 409);
  assert.equal((await complete(upload.href, etags)).status, 200);
  assert.equal((await commit({ path: 'failed.bin', oid: file.oid, size: file.size })).status, 200);
});

test('parts have bytes of a file without gaps, and are at most a thousand', () => {
  for (const size of [1, 1 << 25, (1 << 25) + 1, 1e9, 5e12]) {
    const count = partCountOf(size);
    assert.ok(count <= 1000);
    let sum = 0;
    for (let number = 1; number <= count; number++) sum += bytesOfPart(size, number);
    assert.deepEqual([sum, bytesOfPart(size, count + 1)], [size, 0]);
    assert.ok(bytesOfPart(size, count) > 0);
  }
});

test('a download names the address of a file that the caller may read', async () => {
  const ask = (headers?: Readonly<Record<string, string>>) =>
    batch(
      [
        { oid, size },
        { oid, size: 1 },
        { oid: '0'.repeat(64), size },
      ],
      { operation: 'download', ref: { name: 'refs/heads/main' } },
      headers,
    );
  const [found, ...missing] = await ask();
  assert.deepEqual(
    missing.map(({ error }) => error?.code),
    [404, 404],
  );
  const { pathname } = new URL(found?.actions?.download.href ?? '');
  const read = await server.hub('GET', pathname.replace('/hf', ''));
  assert.ok(read.bytes.equals(content));
  const lister = await addUser(server, 'lister', [{ action: ['fs:ListObjects'], resource: '*' }]);
  assert.equal((await ask({ authorization: lister }))[0]?.error?.code, 404, 'files that the caller may not read are not found');
  const newcomer = await addUser(server, 'newcomer', []);
  assert.equal((await askFor({ operation: 'download', objects: [] }, { authorization: newcomer })).status, 403);
  const elsewhere = { operation: 'download', ref: { name: 'refs/heads/master' } };
  const [other] = await batch([{ oid, size }], elsewhere);
  assert.ok(other?.actions?.download, 'a branch of another Git repository: the default branch has the files');
  assert.equal((await askFor({ operation: 'remove', objects: [] })).status, 422);
});

test('a signed URL ends with its user', async () => {
  const authorization = await addUser(server, 'leaver', [{ action: ['fs:*'], resource: '*' }]);
  const late = fileOf(2, 'leaver, ');
  const body = randomBytes(1000);
  const small = { oid: createHash('sha256').update(body).digest('hex'), size: body.length };
  const objects = await batch([small, { oid: late.oid, size: late.size }], { transfers: ['multipart'] }, { authorization });
  const [whole, inParts] = objects.map(({ actions }) => actions?.upload);
  assert.ok(whole && inParts);
  const [first = ''] = partsOf(inParts);
  await server.kernel.services.get('auth').deleteUser('leaver');
  const files = allFiles();
  const answers = [await put(whole.href, body), await put(first, late.content.subarray(0, bytesOfPart(late.size, 1)))];
  for (const { status, body } of [...answers, await complete(inParts.href, ['x', 'x'])]) {
    assert.equal(status, 403);
    assert.match(body, /leaver does not exist/);
  }
  assert.equal(allFiles(), files);
});

test('a signed URL ends with its repository, and leads to no other one of the name', async () => {
  const body = randomBytes(1000);
  const small = { oid: createHash('sha256').update(body).digest('hex'), size: body.length };
  await server.engine.createRepository({ id: 'brief', storageNamespace: 'local://brief' });
  const answer = await server.hub('POST', '/datasets/srv/brief.git/info/lfs/objects/batch', {
    body: JSON.stringify({ operation: 'upload', objects: [small] }),
  });
  const [object] = json(answer)['objects'] as readonly LfsObject[];
  const href = object?.actions?.upload.href ?? '';
  await server.engine.deleteRepository('brief');
  assert.equal((await put(href, body)).status, 404);
  await server.engine.createRepository({ id: 'brief', storageNamespace: 'local://brief-2' });
  const files = allFiles();
  assert.equal((await put(href, body)).status, 404);
  assert.equal(allFiles(), files);
});

test('git lfs may download, and not upload, since its commits go elsewhere', async () => {
  const agent = { 'user-agent': 'git-lfs/3.7.1 (GitHub; linux amd64; go 1.26)' };
  assert.equal((await askFor({ operation: 'download', objects: [{ oid, size }] }, agent)).status, 200);
  const refused = await askFor({ objects: [{ oid, size }] }, agent);
  assert.equal(refused.status, 403);
  assert.match(String(json(refused)['message']), /hf upload/);
});

test('uploads that are not committed within a day are forgotten', async () => {
  const repository = await server.engine.getRepository('zoo');
  let now = Date.now();
  const uploads = new Uploads(server.kernel.services.get('kv'), () => now);
  const key = { repository, user: 'admin', oid: '1'.repeat(64) };
  await uploads.add(key, { address: 'a', size: 1, etag: 'e' });
  assert.equal((await uploads.find(key))?.size, 1);
  now += 86_400_001;
  assert.equal(await uploads.find(key), undefined);
  await uploads.clean(repository);
  assert.equal(
    await server.kernel.services.get('kv').get(`zoo-${repository.instanceUid}`, Buffer.from(`huggingface-lfs/admin/${key.oid}`)),
    undefined,
  );
});

test('large files go by LFS or Xet from huggingface_hub, and with the commit from others', async () => {
  const mode = async (agent: string, file: object): Promise<unknown> => {
    const body = JSON.stringify({ files: [file] });
    const answer = await server.hub('POST', '/api/models/srv/zoo/preupload/main', { headers: { 'user-agent': agent }, body });
    return (json(answer)['files'] as { uploadMode: string }[])[0]?.uploadMode;
  };
  const large = { path: 'x', sample: '', size: 20_000_000 };
  const binary = { path: 'x', sample: Buffer.from('a\0b').toString('base64'), size: 3 };
  const old = 'unknown/None; hf_hub/0.36.2; python/3.11.7';
  assert.deepEqual([await mode(old, large), await mode(old, binary), await mode(old, { ...large, size: 10 })], ['lfs', 'lfs', 'regular']);
  assert.deepEqual(
    [await mode('hf_hub/1.19.0', large), await mode('hf_hub/2.4.0', large), await mode('other', large)],
    ['lfs', 'lfs', 'regular'],
  );
});

test('a signed URL is valid for what was signed only', () => {
  const upload = { repository: 'zoo', instance: 'uid', user: 'a/b', oid, size: 5, expires: 10 };
  const parts = signedPath(upload, 'key').slice('/hf/lfs-upload/'.length).split('/').map(decodeURIComponent);
  assert.deepEqual(verified(parts, 'key'), upload);
  assert.equal(verified(parts, 'other key'), undefined);
  for (let i = 0; i < parts.length; i++) assert.equal(verified(parts.with(i, '7'), 'key'), undefined, String(i));
  assert.equal(verified(parts.slice(1), 'key'), undefined);
});
