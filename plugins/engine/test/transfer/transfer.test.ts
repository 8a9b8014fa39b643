import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@srv/engine/client';
import { messageOf } from '@srv/kernel';
import { scratchFolder } from '@srv/kernel/testing';
import { exitCodeOf, forEachParallel, noProgress, replaceFile } from '@srv/lib-commands';
import fc from 'fast-check';
import { checkStored, md5Of, md5OfFile, meter } from '../../src/transfer/checksum.js';
import { download } from '../../src/transfer/download.js';
import { Prefix } from '../../src/transfer/prefix.js';
import { readSmall, smallFile, writeSmall } from '../../src/transfer/small-files.js';
import { fileSource, regularSource, streamSource } from '../../src/transfer/sources.js';
import { FolderMaker, targetPath } from '../../src/transfer/targets.js';
import { upload } from '../../src/transfer/upload.js';
import { WrittenHash, threadThresholdBytes } from '../../src/transfer/written-hash.js';
import { startFakeStore } from './fake-store.js';
import type { Client } from '../../src/operations/client.js';

test('runs at most the given number of jobs at a time, and starts none after a failure', async () => {
  const seen: number[] = [];
  let running = 0;
  let most = 0;
  const numbers = async function* () {
    for (let i = 0; i < 20; i++) yield i;
  };
  await forEachParallel(numbers(), 4, async i => {
    most = Math.max(most, ++running);
    await sleep(1);
    running--;
    seen.push(i);
  });
  assert.deepEqual([most, seen.length, new Set(seen).size], [4, 20, 20]);
  let begun = 0;
  await assert.rejects(
    forEachParallel(numbers(), 2, async i => {
      begun++;
      if (i === 3) throw new Error('stop');
      await sleep(1);
    }),
    { message: 'stop' },
  );
  assert.ok(begun < 8, `begun ${begun}`);
});

test('only complete checksums are compared', () => {
  const md5 = 'b1946ac92492d2347c6235b4d2611184';
  for (const tag of [md5, `"${md5}"`, `W/"${md5}"`, md5.toUpperCase()]) assert.equal(md5Of(tag), md5);
  for (const tag of [undefined, '', `${md5}-5`, 'abc']) assert.equal(md5Of(tag), undefined);
});

test('a meter counts and hashes what passes', async () => {
  let counted = 0;
  const metered = meter(count => {
    counted += count;
  });
  await Readable.from([Buffer.from('hel'), Buffer.from('lo\n')], { objectMode: false })
    .pipe(metered.stream)
    .resume()
    .toArray();
  assert.deepEqual([counted, metered.bytes(), metered.md5()], [6, 6, 'b1946ac92492d2347c6235b4d2611184']);
});

test('targets stay below their folder', () => {
  assert.equal(targetPath('/data', 'a/b c/%2e%2e.txt'), '/data/a/b c/%2e%2e.txt');
  for (const bad of ['../x', 'a/../b', './a', 'a//b', '/etc/passwd', 'a/', '', '..', 'a\0b'])
    assert.throws(() => targetPath('/data', bad), { message: /cannot be a file below \/data/ }, bad);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), relative => {
      try {
        assert.equal(targetPath('/data', relative), `/data/${relative}`);
      } catch (error) {
        assert.match(String(error), /cannot be a file/);
      }
    }),
  );
});

test('folders are made, and symbolic links on the way are refused', async () => {
  const root = scratchFolder();
  const folders = new FolderMaker(join(root, 'in'));
  await Promise.all([folders.prepare(join(root, 'in', 'a', 'b', 'x')), folders.prepare(join(root, 'in', 'a', 'b', 'y'))]);
  assert.ok(existsSync(join(root, 'in', 'a', 'b')));
  symlinkSync(root, join(root, 'in', 'link'));
  await assert.rejects(folders.prepare(join(root, 'in', 'link', 'x')), { message: /link is not a folder/ });
});

test('a file is replaced only by a complete one', async () => {
  const folder = scratchFolder();
  const path = join(folder, 'x');
  writeFileSync(path, 'old');
  await assert.rejects(
    replaceFile(path, async temporary => {
      writeFileSync(temporary, 'half');
      throw new Error('broken');
    }),
    { message: 'broken' },
  );
  assert.deepEqual([readFileSync(path, 'utf8'), readdirSync(folder)], ['old', ['x']]);
  await replaceFile(path, async temporary => writeFileSync(temporary, 'new'));
  assert.deepEqual([readFileSync(path, 'utf8'), readdirSync(folder)], ['new', ['x']]);
});

test('a file is replaced if its name is as long as file systems allow, in any characters', async () => {
  const folder = scratchFolder();
  // 253 to 255 bytes.
  for (const name of ['a'.repeat(255), 'é'.repeat(127), '数'.repeat(85), '\u{1f600}'.repeat(63), `x${'\u{1f600}'.repeat(63)}`]) {
    const path = join(folder, name);
    let between = '';
    await replaceFile(path, async temporary => {
      between = basename(temporary);
      writeFileSync(temporary, 'new');
    });
    assert.equal(readFileSync(path, 'utf8'), 'new');
    assert.ok(between.startsWith(`.${name.slice(0, 24)}`) && Buffer.from(between).toString() === between, between);
    rmSync(path);
  }
  assert.deepEqual(readdirSync(folder), []);
});

test('a download to a named pipe or a socket, or a link to one, is refused before any request', async t => {
  const store = await startFakeStore();
  t.after(() => store.close());
  store.objects.set('x', Buffer.from('content'));
  const folder = scratchFolder();
  const [pipe, socket, link] = ['pipe', 'socket', 'link'].map(name => join(folder, name)) as [string, string, string];
  execFileSync('mkfifo', [pipe]);
  const server = createServer().listen(socket);
  t.after(() => server.close());
  await once(server, 'listening');
  symlinkSync(pipe, link);
  const down = {
    api: createClient({ endpointUrl: store.url, accessKeyId: 'a', secretAccessKey: 'b' }),
    preSign: { enabled: false, multipart: false, headers: {} },
    progress: noProgress,
    signal: new AbortController().signal,
    partSize: 65_536,
    attempts: 1,
  };
  for (const target of [pipe, socket, link])
    await assert.rejects(download({ repository: 'lakes', ref: 'main', path: 'x' }, target, down), {
      message: `${target} is not a regular file, so it cannot be replaced; name another file, or use "cli fs cat" to write an object to a pipe or a device`,
    });
  assert.deepEqual(store.requests, []);
  assert.deepEqual([lstatSync(pipe).isFIFO(), lstatSync(socket).isSocket(), lstatSync(link).isSymbolicLink()], [true, true, true]);
  assert.deepEqual(new Set(readdirSync(folder)), new Set(['link', 'pipe', 'socket']));
});

test('small files are held, larger ones are not', async () => {
  const folder = scratchFolder();
  for (const size of [0, 1, smallFile - 1, smallFile, smallFile + 1, 3 * smallFile]) {
    const file = join(folder, String(size));
    const content = randomBytes(size);
    await writeSmall(file, content);
    assert.deepEqual(readFileSync(file), content);
    for (const source of [await regularSource(file), await fileSource(file)]) {
      assert.deepEqual([source.size, source.bytes?.length], [size, size > smallFile ? undefined : size]);
      assert.deepEqual(await buffer(source.open()), content);
      assert.equal(source.file?.path, size > smallFile ? file : undefined);
    }
  }
  const held = await Promise.all(Array.from({ length: 8 }, () => readSmall(join(folder, String(smallFile)))));
  for (const bytes of held) assert.deepEqual(bytes, readFileSync(join(folder, String(smallFile))), 'buffers are not shared');
  await assert.rejects(readSmall(join(folder, 'none')), { code: 'ENOENT' });
  await assert.rejects(fileSource(folder), { message: /is a directory; use --recursive/ });
});

test('a large file that grows meanwhile is sent as it was', async () => {
  const file = join(scratchFolder(), 'x');
  writeFileSync(file, Buffer.alloc(smallFile + 1, 'a'));
  const source = await regularSource(file);
  appendFileSync(file, 'more');
  assert.equal((await buffer(source.open())).length, smallFile + 1);
});

test('an upload of a file that becomes shorter fails at once and names it, by each route', async t => {
  const store = await startFakeStore();
  t.after(() => store.close());
  const file = join(scratchFolder(), 'x');
  const size = 6 << 20;
  const calls: string[] = [];
  const parts = {
    endpoint: new URL(store.url),
    createPresignMultipartUpload: async () => {
      calls.push('begin');
      return { upload_id: 'u', physical_address: 'x', presigned_urls: [1, 2].map(part => `${store.url}/signed?path=${part}`) };
    },
    uploadPart: async () => {
      calls.push('part again');
      return { presigned_url: `${store.url}/signed?path=again` };
    },
    abortPresignMultipartUpload: async () => void calls.push('abort'),
  } as unknown as Client;
  const api = createClient({ endpointUrl: store.url, accessKeyId: 'a', secretAccessKey: 'b', retries: { minWait: 1 } });
  const routes = {
    direct: { api, preSign: { enabled: false, multipart: false, headers: {} } },
    signed: { api, preSign: { enabled: true, multipart: false, headers: {} } },
    parts: { api: parts, preSign: { enabled: true, multipart: true, headers: {} } },
  };
  for (const [route, settings] of Object.entries(routes)) {
    writeFileSync(file, Buffer.alloc(size, 'a'));
    const source = await regularSource(file);
    truncateSync(file, 1000);
    store.requests.length = 0;
    await assert.rejects(
      upload(
        source,
        { repository: 'lakes', branch: 'main', path: 'x' },
        { ...settings, progress: noProgress, signal: new AbortController().signal },
      ),
      (error: unknown) => {
        assert.equal(messageOf(error), `${file}: the file became shorter while it was read (1000 of ${size} bytes)`, route);
        assert.equal(exitCodeOf(error), 1, route);
        return true;
      },
    );
    const sent = store.requests.filter(request => request === 'POST /objects' || request === 'PUT /signed');
    assert.ok(sent.length <= (route === 'parts' ? 2 : 1), `${route}: sent once: ${sent.join(', ')}`);
  }
  assert.deepEqual(new Set(calls), new Set(['begin', 'part again', 'abort']));
  assert.equal(calls.filter(call => call === 'part again').length, 2, 'URLs that do not say when they expire are asked for once per part');
});

test('a file that is gone before its upload is named, and the server is not blamed', async t => {
  const store = await startFakeStore();
  t.after(() => store.close());
  const file = join(scratchFolder(), 'x');
  writeFileSync(file, Buffer.alloc(smallFile + 1, 'a'));
  const source = await regularSource(file);
  rmSync(file);
  const api = createClient({ endpointUrl: store.url, accessKeyId: 'a', secretAccessKey: 'b', retries: { minWait: 1 } });
  const settings = {
    api,
    preSign: { enabled: false, multipart: false, headers: {} },
    progress: noProgress,
    signal: new AbortController().signal,
  };
  await assert.rejects(upload(source, { repository: 'lakes', branch: 'main', path: 'x' }, settings), (error: unknown) => {
    assert.equal(messageOf(error), `${file}: the file cannot be read: ENOENT: no such file or directory, open '${file}'`);
    assert.equal(exitCodeOf(error), 3);
    return true;
  });
  assert.ok(store.requests.length <= 1, 'sent once');
});

test('the ETag of encrypted content is not used as a checksum', () => {
  const [sent, stored] = ['b1946ac92492d2347c6235b4d2611184', '00000000000000000000000000000000'];
  for (const headers of [{}, { 'x-amz-server-side-encryption': 'AES256' }])
    assert.throws(() => checkStored('x', sent, stored, headers), {
      message: `x: the server stored other bytes than were sent (MD5 ${stored}, sent ${sent}); upload it again`,
    });
  checkStored('x', sent, stored, { 'x-amz-server-side-encryption': 'aws:kms' });
  checkStored('x', sent, stored, { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' });
  checkStored('x', sent, sent);
  checkStored('x', sent, `${stored}-3`);
});

test('pre-signed transfers go to the object store itself', async t => {
  const store = await startFakeStore();
  t.after(() => store.close());
  const api = createClient({ endpointUrl: store.url, accessKeyId: 'a', secretAccessKey: 'b' });
  const settings = {
    api,
    preSign: { enabled: true, multipart: false, headers: {} },
    progress: noProgress,
    signal: new AbortController().signal,
  };
  const folder = scratchFolder();
  const content = randomBytes(300_000);
  writeFileSync(join(folder, 'x'), content);
  const target = { repository: 'lakes', branch: 'main', path: 'a/x' };

  store.conflicts = 1;
  await upload(await fileSource(join(folder, 'x')), target, settings);
  assert.deepEqual(store.objects.get('a/x'), content);
  assert.deepEqual(store.requests, [
    'GET /staging/backing',
    'PUT /signed',
    'PUT /staging/backing',
    'GET /staging/backing',
    'PUT /signed',
    'PUT /staging/backing',
  ]);
  await upload(streamSource(Readable.from([Buffer.from('of unknown '), Buffer.from('length')])), { ...target, path: 's' }, settings);
  assert.equal(store.objects.get('s')?.toString(), 'of unknown length');
  await upload(streamSource(Readable.from([])), { ...target, path: 'empty' }, settings);
  assert.equal(store.objects.get('empty')?.length, 0);

  const down = { ...settings, partSize: 65_536, attempts: 2 };
  store.requests.length = 0;
  const source = { repository: 'lakes', ref: 'main', path: 'a/x', size: content.length };
  assert.equal(await download(source, join(folder, 'parts'), down), content.length);
  assert.deepEqual(readFileSync(join(folder, 'parts')), content);
  assert.equal(store.requests.filter(r => r === 'GET /signed').length, 5);
  await download({ ...source, size: 0 }, join(folder, 'whole'), { ...down, partSize: 1 << 30 });
  assert.deepEqual(readFileSync(join(folder, 'whole')), content);

  store.spoil = bytes => Buffer.from(bytes).fill(0, 10, 20);
  for (const partSize of [65_536, 1 << 30]) {
    await assert.rejects(download(source, join(folder, 'parts'), { ...down, partSize }), {
      message: /^a\/x: the bytes received have MD5 [0-9a-f]{32}, the object has [0-9a-f]{32}; nothing was replaced$/,
    });
    assert.deepEqual(readFileSync(join(folder, 'parts')), content, 'the old file stays');
  }
  assert.ok(!readdirSync(folder).some(name => name.endsWith('.part')));
});

test('parts of a download whose URL has expired get a fresh one, once for all of them, and keep what has arrived', async t => {
  const store = await startFakeStore();
  t.after(() => store.close());
  const down = {
    api: createClient({ endpointUrl: store.url, accessKeyId: 'a', secretAccessKey: 'b' }),
    preSign: { enabled: true, multipart: true, headers: {} },
    progress: noProgress,
    signal: new AbortController().signal,
    partSize: 65_536,
    attempts: 2,
  };
  const content = randomBytes(40 * down.partSize);
  store.objects.set('x', content);
  const file = join(scratchFolder(), 'x');
  const source = { repository: 'lakes', ref: 'main', path: 'x', size: content.length };
  const countOf = (route: string): number => store.requests.filter(request => request === route).length;
  let reads = 0;
  store.spoil = bytes => {
    if (++reads === 15) store.expireUrls();
    return bytes;
  };
  assert.equal(await download(source, file, down), content.length);
  assert.ok(readFileSync(file).equals(content));
  assert.equal(reads, 40, 'no part arrived twice');
  assert.equal(countOf('GET /objects/stat'), 2);

  // Another object is there when the fresh URL is requested: nothing of the first one stays.
  const other = randomBytes(content.length);
  reads = 0;
  store.spoil = bytes => {
    if (++reads !== 15) return bytes;
    store.objects.set('x', other);
    store.expireUrls();
    return bytes;
  };
  await download(source, file, down);
  assert.ok(readFileSync(file).equals(other));

  // A store that refuses fresh URLs, too.
  store.requests.length = 0;
  store.spoil = bytes => bytes;
  store.expireUrls(Number.POSITIVE_INFINITY);
  await assert.rejects(download(source, file, down), { message: 'request failed: 403 Forbidden' });
  assert.ok(countOf('GET /objects/stat') <= 11 && countOf('GET /signed') <= 20, store.requests.join(', '));
  assert.ok(readFileSync(file).equals(other));
});

test('a file that no store takes with one request goes in parts, or else through the server', async () => {
  const longest = 5000 * 2 ** 20;
  const condition = { 'If-None-Match': '*' };
  const cases = [
    { size: longest, multipart: true, condition: {}, expected: 'parts' },
    { size: longest, multipart: true, condition, expected: 'one request' },
    { size: longest, multipart: false, condition: {}, expected: 'one request' },
    { size: longest + 1, multipart: true, condition: {}, expected: 'parts' },
    { size: longest + 1, multipart: true, condition, expected: 'server' },
    { size: longest + 1, multipart: true, condition: { 'If-Match': 'c' }, expected: 'server' },
    { size: longest + 1, multipart: false, condition: {}, expected: 'server' },
  ];
  for (const { size, multipart, condition: conditions, expected } of cases) {
    const seen: unknown[] = [];
    const stop = (route: string) => async (input: unknown) => {
      seen.push(route, input);
      throw new Error('enough');
    };
    const api = {
      createPresignMultipartUpload: stop('parts'),
      getPhysicalAddress: stop('one request'),
      uploadObject: stop('server'),
    } as unknown as Client;
    const open = (): Readable => Readable.from([]);
    const source = { name: 'x', size, repeatable: true, open, openRange: open };
    const settings = {
      api,
      preSign: { enabled: true, multipart, headers: {} },
      progress: noProgress,
      signal: new AbortController().signal,
    };
    const target = { repository: 'lakes', branch: 'main', path: 'x', ...conditions };
    await assert.rejects(upload(source, target, settings), { message: 'enough' });
    const [route, input] = seen;
    assert.equal(route, expected, `${size} bytes`);
    assert.deepEqual({ ...(input as object), ...target }, input, 'with its conditions');
  }
});

test('an upload of a stream that is aborted ends at once and leaves no copy of it', async t => {
  const folder = scratchFolder();
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  t.after(() => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  });
  const leaving = new AbortController();
  const settings = {
    api: {} as Client,
    preSign: { enabled: true, multipart: true, headers: {} },
    progress: noProgress,
    signal: leaving.signal,
  };
  const stream = new Readable({ read: () => undefined });
  stream.push('secret');
  const uploaded = upload(streamSource(stream), { repository: 'lakes', branch: 'main', path: 'x' }, settings);
  uploaded.catch(() => undefined);
  const copies = (): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' });
  while (!copies().some(name => name.endsWith('content'))) await sleep(1);
  leaving.abort();
  await assert.rejects(uploaded, { name: 'AbortError' });
  assert.deepEqual([copies(), stream.destroyed], [[], true]);
});

test('a hash follows a file that grows, and fails with one that ends early', async () => {
  const file = join(scratchFolder(), 'growing');
  const hash = await WrittenHash.offer(file, threadThresholdBytes);
  assert.ok(hash);
  writeFileSync(file, Buffer.alloc(9 << 20, 'a'));
  hash.written(5 << 20);
  appendFileSync(file, 'end');
  assert.equal(await hash.digest((9 << 20) + 3), await md5OfFile(file));
  await hash.close();
  const early = await WrittenHash.offer(file, threadThresholdBytes);
  await assert.rejects(async () => early?.digest(10 << 20), /ends after 9437187 bytes of 10485760/);
  await early?.close();
  assert.equal(await WrittenHash.offer(file, threadThresholdBytes - 1), undefined);
});

test('the contiguous prefix grows with parts in any order', () => {
  const prefix = new Prefix();
  assert.deepEqual(
    [
      [10, 20],
      [30, 40],
      [0, 10],
      [20, 30],
    ].map(([start = 0, end = 0]) => prefix.add(start, end)),
    [0, 0, 20, 40],
  );
});
