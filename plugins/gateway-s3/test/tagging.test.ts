/** Tags of objects, through the AWS SDK. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectTaggingCommand,
  GetObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import fc from 'fast-check';
import { documentTags, keepTags, keptTags, tagsElement } from '../src/server/protocol/tags.js';
import { document } from '../src/server/protocol/xml-writer.js';
import { s3Client } from './support/client.js';
import { send } from './support/raw.js';
import { createRepository, startServer, storedFiles } from './support/server.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { TestServer } from './support/server.js';

let server: TestServer;
let client: S3Client;
const Bucket = 'repo';

before(async () => {
  server = await startServer();
  client = s3Client(server);
  await createRepository(server, Bucket);
  await createRepository(server, 'frozen', { readOnly: true });
});
after(async () => {
  client.destroy();
  await server.stop();
});

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    if (error instanceof S3ServiceException) return error.name;
    throw error;
  }
}

type Tags = Readonly<Record<string, string>>;
const tagSet = (tags: Tags) => Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
async function tagsOf(Key: string): Promise<Tags> {
  const { TagSet = [] } = await client.send(new GetObjectTaggingCommand({ Bucket, Key }));
  return Object.fromEntries(TagSet.map(({ Key: name = '', Value = '' }) => [name, Value]));
}
const tag = (Key: string, tags: Tags) => client.send(new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet: tagSet(tags) } }));
const put = (Key: string, rest: object = {}) => client.send(new PutObjectCommand({ Bucket, Key, Body: 'content', ...rest }));
const countOf = async (Key: string) => (await client.send(new HeadObjectCommand({ Bucket, Key }))).TagCount;

const some: Tags = { color: 'blue & green', 'a=b+c d': '', ünïcödé: '日本語/🚀', __proto__x: 'x', '<&>"': '<Tag>' };

test('are set, replaced and removed, and nothing else of the object changes', async () => {
  const Key = 'main/tagged';
  await put(Key, { Metadata: { own: 'word' }, ContentType: 'text/x', CacheControl: 'no-cache' });
  const describe = async () => {
    const { $metadata: _, TagCount: __, ...head } = await client.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
    return head;
  };
  const before = await describe();
  assert.deepEqual([await tagsOf(Key), await countOf(Key)], [{}, undefined]);
  for (const tags of [some, { only: 'one' }]) {
    await tag(Key, tags);
    assert.deepEqual([await tagsOf(Key), await countOf(Key)], [tags, Object.keys(tags).length]);
    assert.equal((await client.send(new GetObjectCommand({ Bucket, Key }))).TagCount, Object.keys(tags).length);
    assert.deepEqual(await describe(), before);
  }
  await client.send(new DeleteObjectTaggingCommand({ Bucket, Key }));
  assert.deepEqual([await tagsOf(Key), await countOf(Key), await describe()], [{}, undefined, before]);
  await put(Key, {});
  await tag(Key, {});
  assert.deepEqual(await tagsOf(Key), {});
  // An object that is replaced has the tags of the new upload alone.
  await tag(Key, some);
  await put(Key);
  assert.deepEqual(await tagsOf(Key), {});
});

test('come with uploads, in one piece, in parts, and by signed URL', async () => {
  const Tagging = new URLSearchParams({ ...some }).toString();
  await put('main/with', { Tagging });
  assert.deepEqual(await tagsOf('main/with'), some);
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'main/parts', Tagging }));
  const place = { Bucket, Key: 'main/parts', UploadId };
  const { ETag } = await client.send(new UploadPartCommand({ ...place, PartNumber: 1, Body: 'part' }));
  await client.send(new CompleteMultipartUploadCommand({ ...place, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }));
  assert.deepEqual(await tagsOf('main/parts'), some);
  const url = await getSignedUrl(client, new PutObjectCommand({ Bucket, Key: 'main/by url', Tagging: 'a=b' }));
  assert.match(url, /x-amz-tagging=/);
  assert.equal((await fetch(url, { method: 'PUT', body: 'x' })).status, 200);
  assert.deepEqual(await tagsOf('main/by url'), { a: 'b' });
});

test('go along with copies, unless others are given', async () => {
  await put('main/from', { Tagging: 'a=1&b=2', Metadata: { own: 'word' } });
  const copy = async (Key: string, rest: object) => {
    await client.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/main/from`, ...rest }));
    return [await tagsOf(Key), (await client.send(new HeadObjectCommand({ Bucket, Key }))).Metadata];
  };
  assert.deepEqual(await copy('main/to', {}), [{ a: '1', b: '2' }, { own: 'word' }]);
  assert.deepEqual(await copy('main/to', { Tagging: 'c=3' }), [{ a: '1', b: '2' }, { own: 'word' }]);
  assert.deepEqual(await copy('main/to', { MetadataDirective: 'REPLACE', Metadata: { new: 'x' } }), [{ a: '1', b: '2' }, { new: 'x' }]);
  assert.deepEqual(await copy('main/to', { TaggingDirective: 'REPLACE', Tagging: 'c=3' }), [{ c: '3' }, { own: 'word' }]);
  assert.deepEqual(await copy('main/to', { TaggingDirective: 'REPLACE' }), [{}, { own: 'word' }]);
  assert.deepEqual(await copy('main/from', { TaggingDirective: 'REPLACE', Tagging: 'd=4' }), [{ d: '4' }, { own: 'word' }]);
});

test('beyond the limits are refused, and nothing is changed or stored', async () => {
  const Key = 'main/limits';
  await put(Key, { Tagging: 'a=b' });
  const ten = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`${i}`.padStart(128, 'k'), 'v'.repeat(256)]));
  const wrong: readonly (readonly [{ Key: string; Value: string }[], string])[] = [
    [tagSet({ ...ten, more: '' }), 'InvalidTag'],
    [tagSet({ ['k'.repeat(129)]: '' }), 'InvalidTag'],
    [tagSet({ a: 'v'.repeat(257) }), 'InvalidTag'],
    [tagSet({ '': 'v' }), 'InvalidTag'],
    [tagSet({ 'aws:reserved': 'v' }), 'InvalidTag'],
    [[...tagSet({ a: '1' }), ...tagSet({ a: '2' })], 'InvalidTag'],
  ];
  const files = storedFiles(server).length;
  for (const [TagSet, code] of wrong) {
    assert.equal(await refusal(client.send(new PutObjectTaggingCommand({ Bucket, Key, Tagging: { TagSet } }))), code);
    const Tagging = TagSet.map(({ Key: k, Value }) => `${encodeURIComponent(k)}=${encodeURIComponent(Value)}`).join('&');
    assert.equal(await refusal(put(Key, { Tagging })), code);
    assert.equal(await refusal(client.send(new CreateMultipartUploadCommand({ Bucket, Key, Tagging }))), code);
    const copy = { Bucket, Key: 'main/limits copy', CopySource: `${Bucket}/${Key}`, TaggingDirective: 'REPLACE' as const, Tagging };
    assert.equal(await refusal(client.send(new CopyObjectCommand(copy))), code);
  }
  assert.equal(await refusal(put(Key, { Tagging: 'a=%zz' })), 'InvalidArgument');
  for (const body of ['', '<Tagging/>', '<Tagging><TagSet><Tag><Key>a</Key></Tag></TagSet></Tagging>', '<Other><TagSet/></Other>', 'x']) {
    const answer = await send(server.port, { method: 'PUT', url: `/repo/${Key}?tagging`, body });
    assert.deepEqual([answer.status, answer.code], [400, 'MalformedXML'], body);
  }
  assert.equal(storedFiles(server).length, files);
  assert.deepEqual(await tagsOf(Key), { a: 'b' });
  await tag(Key, ten);
  assert.deepEqual(await tagsOf(Key), ten);
});

test('need an object on a branch that may be written', async () => {
  await put('main/committed');
  await server.kernel.services.get('engine').commit(Bucket, 'main', { message: 'one', committer: 'test' });
  await server.kernel.services.get('engine').createTag(Bucket, 'v1', 'main');
  assert.equal(await refusal(tag('main/none', some)), 'NoSuchKey');
  assert.equal(await refusal(tagsOf('main/none')), 'NoSuchKey');
  assert.equal(await refusal(tag('nobranch/committed', some)), 'NoSuchBucket');
  for (const ref of ['v1', 'main~0', 'main@']) assert.equal(await refusal(tag(`${ref}/committed`, some)), 'NoSuchBucket', ref);
  const frozen = new PutObjectTaggingCommand({ Bucket: 'frozen', Key: 'main/x', Tagging: { TagSet: [] } });
  assert.equal(await refusal(client.send(frozen)), 'ErrReadOnlyRepository');
  await tag('main/committed', some);
  // The commit is as it was.
  assert.deepEqual([await tagsOf('main/committed'), await tagsOf('v1/committed')], [some, {}]);
  const { metadata } = await server.kernel.services.get('engine').getEntry(Bucket, 'main', 'committed');
  assert.match(metadata['X-Amz-Tagging'] ?? '', /^color=blue%20%26%20green&/);
});

test('any tag survives being kept, and being written as a document', () => {
  const text = (most: number) =>
    fc.string({ unit: 'grapheme', maxLength: most }).filter(t => t.length <= most && !/[\p{Cc}\ufffe\uffff]/u.test(t));
  const tags = fc.uniqueArray(
    fc.record({ key: text(128).filter(key => key !== '' && !/^aws:/i.test(key)), value: text(256) }, { noNullPrototype: true }),
    {
      maxLength: 10,
      selector: ({ key }) => key,
    },
  );
  fc.assert(
    fc.property(tags, given => {
      assert.deepEqual(keptTags(keepTags(given)), given);
      assert.deepEqual(documentTags(document(tagsElement(given))), given);
    }),
  );
});
