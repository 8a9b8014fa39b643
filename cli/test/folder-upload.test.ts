/** A folder that is uploaded again sends what differs. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { decodeBatch } from '@srv/engine/operations/batch';
import { inGroups, smallFile } from '@srv/engine/transfer';
import { scratchFolder } from '@srv/kernel/testing';
import { fakeContext, refusal, runCommand } from './fake-context.js';
import type { Readable } from 'node:stream';

/** Unix seconds. */
const longAgo = 1_000_000_000;

interface Stored {
  readonly content: Buffer;
  readonly type: string;
  readonly mtime: number;
  readonly metadata: Readonly<Record<string, string>>;
}

interface Uploaded {
  readonly path: string;
  /** Large ones are opened as often as they are sent. */
  readonly body: Buffer | (() => Readable);
}

class Branch {
  readonly folder = scratchFolder();
  readonly objects = new Map<string, Stored>();
  sent: string[] = [];
  /** Objects of each batch; absent: the server knows no batches. */
  batches: string[][] | undefined;
  /** Whether batches store something else. */
  spoil = false;
  /** Paths that batches refuse. */
  refused: readonly string[] = [];
  /** Unix seconds of the server. */
  now = Math.floor(Date.now() / 1000);

  write(relative: string, content: string, time = longAgo): void {
    const file = join(this.folder, relative);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    utimesSync(file, time, time);
  }

  /** @returns text of the summary; `sent` lists what was sent. */
  async upload(options: Readonly<Record<string, unknown>> = {}, skip = false): Promise<string> {
    this.sent = [];
    const fake = fakeContext(
      {
        getConfig: { storage_config: { pre_sign_support: false } },
        listObjects: ({ prefix, after = '' }: { prefix: string; after?: string }) => this.#page(prefix, after),
      },
      { settings: { values: { 'options.parallelism': 3, 'local.skip_non_regular_files': skip } } as never },
    );
    const api = await fake.context.client();
    const client = Object.assign(Object.create(api) as typeof api, {
      uploadObjects: async ({ body }: { body: Buffer }) => ({ results: this.#takeAll(body) }),
      uploadObject: async ({ path, body }: Uploaded, { headers }: { headers: Record<string, string> }) =>
        this.#take(path, typeof body === 'function' ? await buffer(body()) : body, headers),
    });
    const context = { ...fake.context, client: async () => client };
    const input = { source: this.folder, recursive: true, 'pre-sign': true, ...options } as never;
    const { text } = await runCommand({ ...fake, context }, 'fs upload', ['srv://lakes/main/to'], input);
    this.sent.sort();
    return text;
  }

  /** Two at a time. */
  #page(prefix: string, after: string) {
    const rest = [...this.objects].filter(([path]) => path.startsWith(prefix) && path > after).sort(([a], [b]) => (a < b ? -1 : 1));
    const results = rest.slice(0, 2).map(([path, { content, type, mtime, metadata }]) => ({
      path,
      path_type: 'object',
      physical_address: '',
      checksum: md5(content),
      size_bytes: content.length,
      content_type: type,
      mtime,
      metadata,
    }));
    return { results, pagination: { has_more: rest.length > 2, next_offset: results.at(-1)?.path ?? '', results: 2, max_per_page: 2 } };
  }

  #takeAll(body: Buffer): readonly object[] {
    if (!this.batches) throw refusal(404, 'invalid API endpoint');
    const objects = decodeBatch(body);
    this.batches.push(objects.map(({ path }) => path));
    return objects.map(({ path, bytes, contentType, metadata = {} }) => {
      if (this.refused.includes(path)) return { path, status_code: 403, message: 'no' };
      this.objects.set(path, { content: bytes, type: contentType ?? 'application/octet-stream', mtime: this.now, metadata });
      return { path, checksum: md5(this.spoil ? Buffer.from('other') : bytes) };
    });
  }

  #take(path: string, content: Buffer, headers: Readonly<Record<string, string>>) {
    this.sent.push(path);
    const metadata = { '::lakefs::client-mtime': headers['x-lakefs-internal-client-mtime'] ?? '' };
    this.objects.set(path, { content, type: headers['content-type'] ?? 'application/octet-stream', mtime: this.now, metadata });
    return { path, checksum: md5(content) };
  }
}

function md5(content: Buffer): string {
  return createHash('md5').update(content).digest('hex');
}

test('only what the branch does not hold is sent', async () => {
  const branch = new Branch();
  branch.objects.set('to/gone', { content: Buffer.from('only there'), type: '', mtime: longAgo, metadata: {} });
  for (const name of ['a', 'a-b', 'a.d/x', 'ä', 'z/y/x']) branch.write(name, `content of ${name}`);
  assert.equal(await branch.upload(), 'Upload Summary:\n\nUploaded: 5 files\nSize:     71 B');
  assert.deepEqual(branch.sent, ['to/a', 'to/a-b', 'to/a.d/x', 'to/z/y/x', 'to/ä']);
  assert.equal(branch.objects.get('to/a')?.metadata['::lakefs::client-mtime'], String(longAgo));

  assert.equal(await branch.upload(), 'Upload Summary:\n\nNo changes\n5 files unchanged');
  branch.write('a', 'of another size');
  branch.write('a-b', 'CONTENT of a-b', longAgo + 5);
  branch.write('a.d/x', 'content of a.d/x', longAgo + 5);
  branch.write('new', 'new');
  assert.equal(await branch.upload(), 'Upload Summary:\n\nUploaded: 3 files\nSize:     32 B\n3 files unchanged');
  assert.deepEqual(branch.sent, ['to/a', 'to/a-b', 'to/new'], 'a file that only has another time is not sent');
  assert.ok(branch.objects.has('to/gone'));
});

test('small files go together where the server takes them so, and the rest one by one', async () => {
  const branch = new Branch();
  branch.batches = [];
  const names = Array.from({ length: 120 }, (_, i) => `small/${String(i).padStart(3, '0')}`);
  for (const name of names) branch.write(name, `content of ${name}`);
  branch.write('large', 'x'.repeat(smallFile + 1));
  branch.refused = ['to/small/007'];
  assert.match(await branch.upload(), /Uploaded: 121 files/);
  assert.deepEqual(branch.sent, ['to/large', 'to/small/007'], 'one by one');
  assert.deepEqual(
    branch.batches.flat().sort(),
    names.map(name => `to/${name}`),
  );
  assert.equal(branch.objects.size, 121);
  assert.equal(branch.objects.get('to/small/000')?.metadata['::lakefs::client-mtime'], String(longAgo));
  assert.match(await branch.upload(), /No changes/, 'contents and times are there');
  branch.write('small/001', 'of another size');
  await branch.upload({ 'content-type': 'text/plain' });
  assert.equal(branch.objects.get('to/small/001')?.type, 'text/plain');
});

test('a batch whose object has other bytes fails the upload', async () => {
  const branch = new Branch();
  branch.batches = [];
  for (const name of ['a', 'b']) branch.write(name, name);
  branch.spoil = true;
  await assert.rejects(branch.upload(), /the server stored other bytes than were sent/);
});

test('groups hold no more than a request can', async () => {
  const items = async function* (sizes: readonly number[]) {
    for (const size of sizes) yield { size };
  };
  const groups = async (sizes: readonly number[]): Promise<number[][]> => {
    const found: number[][] = [];
    for await (const group of inGroups(items(sizes))) found.push(group.map(({ size }) => size));
    return found;
  };
  assert.deepEqual(await groups([]), []);
  assert.deepEqual(await groups([1, smallFile + 1, 2]), [[smallFile + 1], [1, 2]]);
  const full = Array.from({ length: 17 }, () => smallFile);
  assert.deepEqual(await groups(full), [full.slice(0, 16), [smallFile]]);
  assert.deepEqual(
    (await groups(Array.from({ length: 120 }, () => 0))).map(group => group.length),
    [50, 50, 20],
  );
});

test('a file that changed when it was uploaded is compared by its content', async () => {
  const branch = new Branch();
  branch.now = longAgo;
  branch.write('a', 'before');
  await branch.upload();
  branch.write('a', 'behind');
  await branch.upload();
  assert.deepEqual(branch.sent, ['to/a']);
  await branch.upload();
  assert.deepEqual(branch.sent, []);
});

test('files are sent again for another type', async () => {
  const branch = new Branch();
  branch.write('a', 'x');
  await branch.upload();
  await branch.upload({ 'content-type': 'text/plain' });
  assert.deepEqual([branch.sent, branch.objects.get('to/a')?.type], [['to/a'], 'text/plain']);
  await branch.upload({ 'content-type': 'text/plain' });
  assert.deepEqual(branch.sent, []);
});

test('special files fail the upload or are left out', async () => {
  const branch = new Branch();
  branch.write('a', 'x');
  symlinkSync('a', join(branch.folder, 'link'));
  await assert.rejects(branch.upload(), {
    message: /link: not a regular file; set local\.skip_non_regular_files to leave such files out$/,
  });
  await branch.upload({}, true);
  assert.deepEqual([...branch.objects.keys()], ['to/a']);
});
