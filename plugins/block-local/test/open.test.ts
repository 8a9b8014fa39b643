import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { Config } from '@srv/kernel';
import { rejectsWith, until } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import blockLocalConfig from '../src/config.js';
import { openLocalBlockStore } from '../src/server/open.js';
import type { ObjectPointer } from '@srv/lib-stores/block';

let folder = '';
const pointer = (identifier: string): ObjectPointer => ({ namespace: 'local://repo', identifier, identifierType: identifierType.relative });

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'srv-block-open-'));
});
after(() => rm(folder, { recursive: true, force: true }));

test('a folder that cannot be made or written says which one', async () => {
  await writeFile(join(folder, 'a-file'), '');
  await rejectsWith(
    () => openLocalBlockStore({ path: join(folder, 'a-file/store') }),
    'config',
    /^blockstore\.local\.path: \S+a-file\/store: path provided is not writable \(.*\); make it writable for this user or choose another folder$/,
  );
});

test('a folder without write permission says which one', { skip: process.seteuid === undefined && 'needs POSIX users' }, async () => {
  const path = join(folder, 'read-only');
  await mkdir(path);
  await chmod(folder, 0o755);
  await chmod(path, 0o555);
  const root = process.getuid?.() === 0;
  // Root may write anywhere: become an unprivileged user.
  if (root) process.seteuid?.(65534);
  try {
    await rejectsWith(() => openLocalBlockStore({ path }), 'config', /read-only: path provided is not writable \(.*permission denied.*\)/);
  } finally {
    if (root) process.seteuid?.(0);
    await chmod(path, 0o755);
  }
});

test('removes leftovers of a crash at start, but not files that others are writing', async () => {
  const path = join(folder, 'left-over');
  const host = hostname().replace(/[^A-Za-z0-9.]/g, '_');
  const dead = [`${host}-999999999-abcdef`, `${host}-${process.pid}-abcdef`, 'elsewhere-1-oldold'];
  const living = [`${host}-${process.ppid}-abcdef`, 'elsewhere-1-abcdef'];
  const temporary = join(path, '.srv-tmp');
  for (const name of [...dead, ...living]) {
    await mkdir(join(temporary, name), { recursive: true });
    await writeFile(join(temporary, name, 'unfinished'), 'x');
  }
  for (const name of [`${host}-${process.pid}-abcdef`, 'elsewhere-1-oldold']) await utimes(join(temporary, name), 0, 0);
  const first = await openLocalBlockStore({ path });
  const second = await openLocalBlockStore({ path });
  const found = await readdir(temporary);
  for (const name of dead) assert.ok(!found.includes(name), `${name} is removed`);
  for (const name of living) assert.ok(found.includes(name), `${name} is kept`);
  assert.equal(found.length, living.length + 2, 'two stores of one process keep out of each other');
  await Promise.all([first.put(pointer('a'), Buffer.from('a')), second.put(pointer('b'), Buffer.from('b'))]);
  await first.close();
  await second.close();
  assert.deepEqual((await readdir(temporary)).sort(), [...living].sort());
});

test('a running store shows every minute that its folder is in use, and makes it again when it was removed', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const path = join(folder, 'idle');
  const store = await openLocalBlockStore({ path });
  t.after(() => store.close());
  const [name = ''] = await readdir(join(path, '.srv-tmp'));
  const own = join(path, '.srv-tmp', name);
  await utimes(own, 0, 0);
  t.mock.timers.tick(60_000);
  await until(async () => (await stat(own)).mtimeMs > Date.now() - 3_600_000);
  await rm(own, { recursive: true });
  t.mock.timers.tick(60_000);
  await until(() => existsSync(own));
  assert.equal((await stat(own)).mode & 0o777, 0o700);
  await store.put(pointer('small'), Buffer.from('a'));
  await store.put(pointer('large'), Readable.from([Buffer.from('b')]));
  await store.createMultipart(pointer('joined'));
});

test('etags and uploads outlive the store', async () => {
  const path = join(folder, 'again');
  const first = await openLocalBlockStore({ path });
  await first.put(pointer('object'), Buffer.from('content'));
  const known = await first.properties(pointer('object'));
  const { uploadId } = await first.createMultipart(pointer('joined'));
  const part = await first.uploadPart(pointer('joined'), uploadId, 1, Buffer.from('part'));
  await first.close();
  const second = await openLocalBlockStore({ path });
  assert.deepEqual(await second.properties(pointer('object')), known);
  await rejectsWith(() => second.listParts(pointer('another key'), uploadId), 'not_found', /upload [0-9a-f]{32} of \S+ key does not exist/);
  assert.equal((await second.listParts(pointer('joined'), uploadId)).parts[0]?.etag, part.etag);
  await second.completeMultipart(pointer('joined'), uploadId, [{ partNumber: 1, ...part }]);
  assert.equal(await text(await second.get(pointer('joined'))), 'part');
  assert.deepEqual(await readdir(join(path, '.srv-uploads')), []);
  await second.close();
  await rejectsWith(() => second.exists(pointer('object')), 'closed');
});

test('a body whose MD5 the caller computes is not hashed again', async t => {
  const path = await mkdtemp(join(tmpdir(), 'srv-block-md5-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  const store = await openLocalBlockStore({ path });
  let asked = 0;
  const md5 = (): string => `answer ${++asked}`;
  await store.put(pointer('told'), Readable.from([Buffer.alloc(300_000), Buffer.alloc(300_000)]), { md5 });
  assert.equal((await store.properties(pointer('told'))).etag, 'answer 1');
  assert.equal((await text(await store.get(pointer('told')))).length, 600_000);
  await store.close();
});

test('allowed prefixes must be absolute', () => {
  const entry = { key: 'blockstore.local.allowed_external_prefixes', raw: '/data,relative', source: 'test' };
  assert.throws(() => Config.create([blockLocalConfig], [entry]), /relative is not absolute/);
});
