import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHooks } from '@srv/kernel';
import { refuseUnknownOperations } from '../src/server/operations/known-names.js';

test('a tap of an operation that does not exist is refused, with the nearest name', () => {
  const tapped = (name: string): object => {
    const { gatewayOperation } = createHooks();
    gatewayOperation.for(name).tapPromise('test', async () => true);
    return gatewayOperation;
  };
  for (const name of ['PutObject', 'HeadBucket', 'CompleteMultipartUpload', 'ListObjects']) refuseUnknownOperations(tapped(name));
  assert.throws(() => refuseUnknownOperations(tapped('PutObjct')), /gatewayOperation has no key "PutObjct"; did you mean PutObject\?$/);
});
