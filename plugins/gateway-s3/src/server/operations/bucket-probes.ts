/** What clients ask about a bucket before they use it. */
import { S3Error } from '../protocol/errors.js';
import { element, s3Namespace } from '../protocol/xml-writer.js';
import { acceptSameList, accessControlPolicy } from './access-control.js';
import { bucketOperation } from './operation.js';
import { onRepository } from './permissions.js';
import type { S3Code } from '../protocol/errors.js';

const defaultRegion = 'us-east-1';
const namespace = { xmlns: s3Namespace };

export const headBucket = bucketOperation({
  name: 'HeadBucket',
  method: 'HEAD',
  permission: onRepository('fs:ReadRepository'),
  handle: ({ answer, settings: { region } }) => answer.empty(200, { 'x-amz-bucket-region': region }),
});

/** Any of these shows that the repository exists. */
const visible = ['fs:CreateRepository', 'fs:ReadRepository', 'fs:ListObjects', 'fs:ListBranches'].map(onRepository);

/**
 * Repositories are created through the HTTP API: they need a storage namespace. Many clients create the bucket they are about to
 * write to, and continue when it exists: callers who may see the repository learn that, whatever they may create.
 */
export const createBucket = bucketOperation({
  name: 'CreateBucket',
  method: 'PUT',
  permission: context => ({ any: visible.map(permissionOn => permissionOn(context)) }),
  handle: async () => {
    throw new S3Error('BucketAlreadyExists');
  },
});

export const deleteBucket = bucketOperation({
  name: 'DeleteBucket',
  method: 'DELETE',
  unsupported: true,
  handle: async () => {
    throw new S3Error('ERRLakeFSNotSupported');
  },
});

export const getBucketLocation = bucketOperation({
  name: 'GetBucketLocation',
  method: 'GET',
  query: 'location',
  permission: onRepository('fs:ListObjects'),
  handle: ({ answer, settings: { region } }) =>
    answer.xml(element('LocationConstraint', region === defaultRegion ? '' : region, namespace), {
      headers: { 'x-amz-bucket-region': region },
    }),
});

/** Never enabled: history is in commits. */
export const getBucketVersioning = bucketOperation({
  name: 'GetBucketVersioning',
  method: 'GET',
  query: 'versioning',
  permission: onRepository('fs:ListObjects'),
  handle: ({ answer }) => answer.xml(element('VersioningConfiguration', '', namespace)),
});

export const getBucketAcl = bucketOperation({
  name: 'GetBucketAcl',
  method: 'GET',
  query: 'acl',
  permission: onRepository('fs:ListObjects'),
  handle: ({ answer, identity }) => answer.xml(accessControlPolicy(identity)),
});

export const putBucketAcl = bucketOperation({
  name: 'PutBucketAcl',
  method: 'PUT',
  query: 'acl',
  writes: true,
  permission: onRepository('fs:CreateRepository'),
  handle: acceptSameList,
});

/** What no bucket has: query name → the operation, and the code clients understand as "nothing is set". */
const absent: Readonly<Record<string, readonly [string, S3Code]>> = {
  cors: ['GetBucketCors', 'NoSuchCORSConfiguration'],
  encryption: ['GetBucketEncryption', 'ServerSideEncryptionConfigurationNotFoundError'],
  lifecycle: ['GetBucketLifecycleConfiguration', 'NoSuchLifecycleConfiguration'],
  'object-lock': ['GetObjectLockConfiguration', 'ObjectLockConfigurationNotFoundError'],
  policy: ['GetBucketPolicy', 'NoSuchBucketPolicy'],
  tagging: ['GetBucketTagging', 'NoSuchTagSet'],
  website: ['GetBucketWebsite', 'NoSuchWebsiteConfiguration'],
};

export const absentConfigurations = Object.entries(absent).map(([query, [name, code]]) =>
  bucketOperation({
    name,
    method: 'GET',
    query,
    unsupported: true,
    permission: onRepository('fs:ListObjects'),
    handle: async () => {
      throw new S3Error(code);
    },
  }),
);
