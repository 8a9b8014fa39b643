/** Unsupported S3 operations, by their query name. Reads may defer to their target; writes never. */
import { S3Error } from '../protocol/errors.js';
import { mayHoist } from '../signature/find.js';
import { onObject, onRepository } from './permissions.js';
import { checkNoVersion } from './versions.js';
import type { BucketContext, ObjectContext, ServiceContext } from './context.js';
import type { S3Operation } from './operation.js';

type Names = Readonly<Record<string, string>>;

const bucketGets: Names = {
  abac: 'GetBucketAbac',
  accelerate: 'GetBucketAccelerateConfiguration',
  analytics: 'GetBucketAnalyticsConfiguration',
  events: 'GetBucketEvents',
  'intelligent-tiering': 'GetBucketIntelligentTieringConfiguration',
  inventory: 'GetBucketInventoryConfiguration',
  logging: 'GetBucketLogging',
  metadataConfiguration: 'GetBucketMetadataConfiguration',
  metadataTable: 'GetBucketMetadataTableConfiguration',
  metrics: 'GetBucketMetricsConfiguration',
  notification: 'GetBucketNotificationConfiguration',
  ownershipControls: 'GetBucketOwnershipControls',
  policyStatus: 'GetBucketPolicyStatus',
  publicAccessBlock: 'GetPublicAccessBlock',
  replication: 'GetBucketReplication',
  requestPayment: 'GetBucketRequestPayment',
  session: 'CreateSession',
};

const bucketPuts: Names = {
  accelerate: 'PutBucketAccelerateConfiguration',
  analytics: 'PutBucketAnalyticsConfiguration',
  cors: 'PutBucketCors',
  encryption: 'PutBucketEncryption',
  'intelligent-tiering': 'PutBucketIntelligentTieringConfiguration',
  inventory: 'PutBucketInventoryConfiguration',
  lifecycle: 'PutBucketLifecycleConfiguration',
  logging: 'PutBucketLogging',
  metrics: 'PutBucketMetricsConfiguration',
  notification: 'PutBucketNotificationConfiguration',
  'object-lock': 'PutObjectLockConfiguration',
  ownershipControls: 'PutBucketOwnershipControls',
  policy: 'PutBucketPolicy',
  publicAccessBlock: 'PutPublicAccessBlock',
  replication: 'PutBucketReplication',
  requestPayment: 'PutBucketRequestPayment',
  tagging: 'PutBucketTagging',
  versioning: 'PutBucketVersioning',
  website: 'PutBucketWebsite',
};

const objectGets: Names = {
  lambdaArn: 'GetObjectLambda',
  'legal-hold': 'GetObjectLegalHold',
  retention: 'GetObjectRetention',
  torrent: 'GetObjectTorrent',
};

const objectPuts: Names = {
  encryption: 'UpdateObjectEncryption',
  'legal-hold': 'PutObjectLegalHold',
  renameObject: 'RenameObject',
  retention: 'PutObjectRetention',
  torrent: 'PutObjectTorrent',
};

const objectPosts: Names = { restore: 'RestoreObject', select: 'SelectObjectContent' };
const objectDeletes: Names = { acl: 'DeleteObjectAcl', torrent: 'DeleteObjectTorrent' };

const refuse = async (): Promise<never> => {
  throw new S3Error('ERRLakeFSNotSupported');
};

function rows<C>(
  method: S3Operation<C>['method'],
  names: Names,
  rest: Pick<S3Operation<C>, 'permission' | 'writes'> = {},
): S3Operation<C>[] {
  return Object.entries(names).map(([query, name]) => ({ name, method, query, unsupported: true, handle: refuse, ...rest }));
}

export const unsupportedOnService = rows<ServiceContext>('GET', { events: 'GetServiceEvents' });

export const unsupportedOnBuckets = [
  ...rows<BucketContext>('GET', bucketGets, { permission: onRepository('fs:ListObjects') }),
  ...rows<BucketContext>('HEAD', { acl: 'HeadBucketAcl' }, { permission: onRepository('fs:ReadRepository') }),
  ...rows<BucketContext>('PUT', bucketPuts, { permission: onRepository('fs:CreateRepository') }),
];

export const unsupportedOnObjects = [
  ...rows<ObjectContext>('GET', objectGets, { permission: onObject('fs:ReadObject') }),
  ...rows<ObjectContext>('PUT', objectPuts, { permission: onObject('fs:WriteObject'), writes: true }),
  ...rows<ObjectContext>('POST', objectPosts, { permission: onObject('fs:WriteObject'), writes: true }),
  ...rows<ObjectContext>('DELETE', objectDeletes, { permission: onObject('fs:DeleteObject'), writes: true }),
];

/** Posts that ask for nothing. */
export const postToBucket: S3Operation<BucketContext> = { name: 'PostBucket', method: 'POST', unsupported: true, handle: refuse };
export const postToObject: S3Operation<ObjectContext> = {
  name: 'PostObject',
  method: 'POST',
  handle: async () => {
    throw new S3Error('MethodNotAllowed');
  },
};

/** Query names that change nothing about what a write does; headers of signed URLs may be in the query. `content-range` does. */
const harmless = /^(x-.*|response-.*|AWSAccessKeyId|Signature.*|Expires|Timestamp|content-(?!range$).*|cache-control)$/i;
/** Headers that change what a write does. In the query they count where {@link mayHoist} allows it. */
const decisive = /^x-amz-(copy-source.*|metadata-directive|rename-source.*|write-offset-bytes|if-.*)$/i;

/**
 * Rejects requests that would destroy an object if they were taken for a plain write.
 * @throws S3Error `ERRLakeFSNotSupported` for a sub-resource that is unknown or not the operation's, `InvalidArgument` for a
 * version: objects have none here, so the request means another object than the one at the path.
 */
export function rejectUnknownSubresource<C>(
  { query: own, parameters = [] }: S3Operation<C>,
  { query, signature }: Pick<ServiceContext, 'query' | 'signature'>,
): void {
  for (const [name, value] of query.pairs) {
    if (name === own || parameters.includes(name)) continue;
    if (name === 'versionId') checkNoVersion(value);
    else if (!harmless.test(name) || (decisive.test(name) && !mayHoist(signature))) throw new S3Error('ERRLakeFSNotSupported');
  }
}
