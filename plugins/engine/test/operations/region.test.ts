import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { checkRegion } from '../../src/operations/objects/region.js';
import type { StorageInfo } from '@srv/lib-stores/block';

const namespace = 's3://bucket/repo';
const info: StorageInfo = {
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
};

test('repositories may have to stay in the region of the server', async () => {
  const asked: string[] = [];
  const region = async (place: string): Promise<string> => {
    asked.push(place);
    return 'eu-west-1';
  };
  await checkRegion(namespace, { info: { ...info, region: 'eu-west-1' }, region });
  await rejectsWith(
    () => checkRegion(namespace, { info: { ...info, region: 'us-east-1' }, region }),
    'invalid',
    /namespace region \("eu-west-1"\) does not match block region \("us-east-1"\)/,
  );
  assert.deepEqual(asked, [namespace, namespace]);
});

test('rejects a region that cannot be determined; stores without regions pass', async () => {
  const region = () => Promise.reject(new Error('no such bucket'));
  await rejectsWith(
    () => checkRegion(namespace, { info: { ...info, region: 'us-east-1' }, region }),
    'invalid',
    /failed to get region of storage namespace s3:\/\/bucket\/repo: no such bucket/,
  );
  await checkRegion(namespace, { info });
  await checkRegion(namespace, { info, region });
});
