/** The table of operations, by what the request is about; within a list from the special to the general. */
import { abortMultipartUpload } from './abort-upload.js';
import {
  absentConfigurations,
  createBucket,
  deleteBucket,
  getBucketAcl,
  getBucketLocation,
  getBucketVersioning,
  headBucket,
  putBucketAcl,
} from './bucket-probes.js';
import { completeMultipartUpload } from './complete-upload.js';
import { copyObject } from './copy-object.js';
import { createMultipartUpload } from './create-upload.js';
import { deleteObject } from './delete-object.js';
import { deleteObjects } from './delete-objects.js';
import { listBuckets } from './list-buckets.js';
import { listObjects } from './list-objects.js';
import { listParts } from './list-parts.js';
import { listMultipartUploads } from './list-uploads.js';
import { listObjectVersions } from './list-versions.js';
import { getObjectAcl, getObjectAttributes, getObjectVersioning, putObjectAcl } from './object-probes.js';
import { deleteObjectTagging, getObjectTagging, putObjectTagging } from './object-tagging.js';
import { putObject } from './put-object.js';
import { putRoot } from './put-root.js';
import { getObject, headObject } from './read-object.js';
import { postToBucket, postToObject, unsupportedOnBuckets, unsupportedOnObjects, unsupportedOnService } from './unsupported.js';
import { uploadPart, uploadPartCopy } from './upload-part.js';
import type { BucketContext, ObjectContext, ServiceContext } from './context.js';
import type { S3Operation } from './operation.js';

export const operations: {
  readonly service: readonly S3Operation<ServiceContext>[];
  readonly bucket: readonly S3Operation<BucketContext>[];
  readonly object: readonly S3Operation<ObjectContext>[];
  /** The top of a ref. */
  readonly root: readonly S3Operation<ObjectContext>[];
} = {
  service: [...unsupportedOnService, listBuckets],
  bucket: [
    getBucketLocation,
    getBucketVersioning,
    getBucketAcl,
    putBucketAcl,
    listMultipartUploads,
    listObjectVersions,
    ...absentConfigurations,
    ...unsupportedOnBuckets,
    deleteObjects,
    postToBucket,
    listObjects,
    headBucket,
    createBucket,
    deleteBucket,
  ],
  object: [
    listParts,
    getObjectAcl,
    putObjectAcl,
    getObjectTagging,
    putObjectTagging,
    deleteObjectTagging,
    getObjectVersioning,
    getObjectAttributes,
    ...unsupportedOnObjects,
    uploadPartCopy,
    uploadPart,
    copyObject,
    createMultipartUpload,
    completeMultipartUpload,
    postToObject,
    abortMultipartUpload,
    getObject,
    headObject,
    putObject,
    deleteObject,
  ],
  root: [putRoot],
};
