/** Uploads in parts. Contributed like a third party's operations: by taps of `gatewayOperation`. */
import { abortMultipartUpload } from './abort-upload.js';
import { completeMultipartUpload } from './complete-upload.js';
import { createMultipartUpload } from './create-upload.js';
import { listParts } from './list-parts.js';
import { listMultipartUploads } from './list-uploads.js';
import { uploadPart, uploadPartCopy } from './upload-part.js';
import type { Hooks } from '@srv/kernel';
import type { GatewayRequest } from '@srv/lib-api/http';
import type { BucketContext, ObjectContext } from './context.js';
import type { S3Operation } from './operation.js';

const onObjects = [createMultipartUpload, uploadPart, uploadPartCopy, listParts, completeMultipartUpload, abortMultipartUpload];

/** Taps every operation of the group under the plugin's name. */
export function contributeMultipart({ gatewayOperation }: Pick<Hooks, 'gatewayOperation'>): void {
  const contribute = <C extends BucketContext>({ name, handle }: S3Operation<C>, contextOf: (request: GatewayRequest) => C): void =>
    gatewayOperation.for(name).tapPromise('gateway-s3', async request => {
      await handle?.(contextOf(request));
      return true;
    });
  // The gateway hands every tap the whole context; the contract shows third parties what stays.
  for (const operation of onObjects) contribute(operation, request => request as GatewayRequest & ObjectContext);
  contribute(listMultipartUploads, request => request as GatewayRequest & BucketContext);
}

/** The operation as the table routes it: which requests it is, and who may ask. */
export function routed<C>({ handle: _, ...operation }: S3Operation<C>): S3Operation<C> {
  return operation;
}
