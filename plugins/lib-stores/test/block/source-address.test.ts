import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { formatLocation, listedBy, locate } from '../../src/block/index.js';
import type { ObjectPointer, StorageInfo } from '../../src/block/index.js';

/** A store of buckets, or of folders. */
const store = (wholeSegments?: number) => ({
  info: {
    type: 's3',
    namespacePattern: '^s3://',
    namespaceExample: 's3://example-bucket/',
    defaultNamespacePrefix: '',
    preSign: false,
    preSignUi: false,
    preSignMultipart: false,
    importSupported: true,
    importPattern: '^s3://',
    productionSafe: true,
    ...(wholeSegments === undefined ? {} : { wholeSegments }),
  } satisfies StorageInfo,
  resolve: (pointer: ObjectPointer) => formatLocation(locate(pointer, ['s3'])),
});

it('a source lists the names that begin with it, but never another bucket', async () => {
  for (const [source, listed] of [
    ['s3://data', 's3://data/'],
    ['s3://data/', 's3://data/'],
    ['s3://data/imp', 's3://data/imp'],
    ['s3://data/imp/', 's3://data/imp/'],
    ['s3://data//', 's3://data//'],
    ['s3://data/ü %20?', 's3://data/ü %20?'],
  ] as const)
    assert.equal(listedBy(store(), source), listed);
  await rejectsWith(() => listedBy(store(), 'gs://data/imp'), 'invalid', /gs:\/\/data\/imp.*must start with s3:\/\//);
});

it('where folders are listed, a source is a whole folder', () => {
  for (const source of ['s3://data/imp', 's3://data/imp/'])
    assert.equal(listedBy(store(Number.POSITIVE_INFINITY), source), 's3://data/imp/');
});
