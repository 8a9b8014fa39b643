import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepPartSizes, keptPartSizes } from '../src/server/uploads/part-sizes.js';

describe('sizes of parts in the metadata of an object', () => {
  const sizes = [5, 5, 5, 3];
  const metadata = keepPartSizes(sizes);

  it('are kept with it', () => {
    assert.deepEqual(metadata, { 'X-Amz-Part-Sizes': '5*3+3*1' });
    assert.deepEqual(keptPartSizes({ metadata, size: 18, etag: 'c0ffee-4' }), sizes);
    assert.deepEqual(keepPartSizes([]), {});
  });

  it('count only for the content that they were kept with', () => {
    assert.equal(keptPartSizes({ metadata, size: 19, etag: 'c0ffee-4' }), undefined);
    assert.equal(keptPartSizes({ metadata, size: 18, etag: 'c0ffee-3' }), undefined);
    assert.equal(keptPartSizes({ metadata, size: 18, etag: 'c0ffee' }), undefined);
    assert.equal(keptPartSizes({ metadata: {}, size: 18, etag: 'c0ffee-4' }), undefined);
  });

  it('are refused when a client wrote them to take memory', () => {
    const text = Array.from({ length: 100 }, () => '0*99999').join('+');
    assert.equal(keptPartSizes({ metadata: { 'X-Amz-Part-Sizes': text }, size: 0, etag: 'c0ffee-4' }), undefined);
    assert.equal(keptPartSizes({ metadata: { 'X-Amz-Part-Sizes': '5*3+' }, size: 15, etag: 'c0ffee-3' }), undefined);
  });

  it('beyond longest: sizes that take too much room are not kept', () => {
    assert.deepEqual(keepPartSizes(Array.from({ length: 400 }, (_, i) => i)), {});
  });
});
