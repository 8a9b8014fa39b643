/** Large files by LFS: asked for, sent without credentials, committed. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { sendRaw } from '@srv/lib-api/testing';
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
const storedFiles = (): number =>
  readdirSync(server.home, { recursive: true, encoding: 'utf8' }).filter(name => /\/data\/.*\/.+/.test(name)).length;

interface LfsObject {
  readonly oid: string;
  readonly actions?: { readonly upload: { readonly href: string }; readonly verify: { readonly href: string } };
}

async function batch(objects: readonly object[], headers: Readonly<Record<string, string>> = {}): Promise<readonly LfsObject[]> {
  const body = JSON.stringify({ operation: 'upload', transfers: ['basic'], objects, hash_algo: 'sha256' });
  const answer = await server.hub('POST', '/datasets/srv/zoo.git/info/lfs/objects/batch', {
    headers: { 'content-type': 'application/vnd.git-lfs+json', ...headers },
    body,
  });
  assert.equal(answer.status, 200, answer.body);
  assert.equal(answer.headers['content-type'], 'application/vnd.git-lfs+json');
  return json(answer)['objects'] as readonly LfsObject[];
}

const put = (href: string, body: Buffer) => sendRaw(server.url, new URL(href).pathname, { method: 'PUT', body });
const commit = (value: object, authorization?: string) =>
  server.hub('POST', '/api/datasets/srv/zoo/commit/main', {
    ...(authorization === undefined ? {} : { headers: { authorization } }),
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
  const upload = { repository: 'zoo', user: 'a/b', oid, size: 5, expires: 10 };
  const parts = signedPath(upload, 'key').slice('/hf/lfs-upload/'.length).split('/').map(decodeURIComponent);
  assert.deepEqual(verified(parts, 'key'), upload);
  assert.equal(verified(parts, 'other key'), undefined);
  for (let i = 0; i < parts.length; i++) assert.equal(verified(parts.with(i, '7'), 'key'), undefined, String(i));
  assert.equal(verified(parts.slice(1), 'key'), undefined);
});
