import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatLocation, locate, storageRoots } from '@srv/lib-stores/block';
import type { ObjectPointer } from '@srv/lib-stores/block';

const store = { resolve: (pointer: ObjectPointer) => formatLocation(locate(pointer, ['s3'])) };

it('a namespace is known as configured and as the store spells it', () => {
  assert.deepEqual(storageRoots(store, 'S3://data/repo'), ['S3://data/repo/', 's3://data/repo/']);
});
