/** Every S3 error code the gateway answers, its status and text; and the one table from the product's errors to them. */
import { isOutOfFiles, isSrvError, isStorageFull } from '@srv/kernel';
import type { ErrorCode } from '@srv/kernel';

interface Row {
  readonly status: number;
  readonly message: string;
}

const s3Errors = {
  AccessDenied: { status: 403, message: 'Access Denied.' },
  AccessForbidden: { status: 403, message: 'CORSResponse: This CORS request is not allowed.' },
  AuthorizationHeaderMalformed: {
    status: 400,
    message: 'The authorization header that you provided is not valid. Expecting <AKID>/YYYYMMDD/REGION/SERVICE/aws4_request.',
  },
  AuthorizationQueryParametersError: { status: 400, message: 'The authorization query parameters that you provided are not valid.' },
  BadDigest: { status: 400, message: 'The Content-MD5 or checksum value that you specified did not match what the server received.' },
  BadRequest: { status: 400, message: '400 BadRequest' },
  BucketAlreadyExists: {
    status: 409,
    message:
      'The requested bucket name is not available. The bucket namespace is shared by all users of the system. Please select a different name and try again.',
  },
  ErrDeletingKey: { status: 500, message: 'error deleting object' },
  ErrNoSuchBucketPossibleAPIEndpoint: {
    status: 404,
    message: 'Repository "api" not found; this can happen if your endpoint URL mistakenly ends in "/api/v1".',
  },
  ErrReadOnlyRepository: { status: 403, message: 'Attempted to write to a read-only repository' },
  ErrWriteToProtectedBranch: { status: 403, message: 'Attempted to write to a protected branch' },
  ERRLakeFSNotSupported: { status: 405, message: 'This operation is not supported in LakeFS' },
  EntityTooLarge: { status: 400, message: 'Your proposed upload exceeds the maximum allowed object size.' },
  EntityTooSmall: { status: 400, message: 'Your proposed upload is smaller than the minimum allowed object size.' },
  IncompleteBody: { status: 400, message: 'You did not provide the number of bytes specified by the Content-Length HTTP header.' },
  InternalError: { status: 500, message: 'We encountered an internal error, please try again.' },
  InvalidAccessKeyId: { status: 403, message: 'The access key ID you provided does not exist in our records.' },
  InvalidArgument: { status: 400, message: 'Invalid argument.' },
  InvalidDigest: { status: 400, message: 'The Content-MD5 you specified is not valid.' },
  InvalidPart: {
    status: 400,
    message:
      "One or more of the specified parts could not be found. The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
  },
  InvalidPartOrder: {
    status: 400,
    message: 'The list of parts was not in ascending order. The parts list must be specified in order by part number.',
  },
  InvalidPolicyDocument: { status: 400, message: 'The content of the form does not meet the conditions specified in the policy document.' },
  InvalidRange: { status: 416, message: 'The requested range is not satisfiable' },
  InvalidRequest: { status: 400, message: 'Invalid Request' },
  InvalidTag: { status: 400, message: 'The tag that you have provided is not valid.' },
  InvalidURI: { status: 400, message: "Couldn't parse the specified URI." },
  KeyTooLongError: { status: 400, message: 'Your key is too long' },
  MalformedDate: {
    status: 400,
    message: 'Invalid date format header, expected to be in ISO8601, RFC1123 or RFC1123Z time format.',
  },
  MalformedXML: { status: 400, message: 'The XML you provided was not well-formed or did not validate against our published schema.' },
  MalformedPOSTRequest: { status: 400, message: 'The body of your POST request is not well-formed multipart/form-data.' },
  MaxPostPreDataLengthExceeded: {
    status: 400,
    message: 'Your POST request fields preceding the upload file were too large.',
  },
  MetadataTooLarge: { status: 400, message: 'Your metadata headers exceed the maximum allowed metadata size.' },
  MethodNotAllowed: { status: 405, message: 'The specified method is not allowed against this resource.' },
  MissingContentLength: { status: 411, message: 'You must provide the Content-Length HTTP header.' },
  MissingFields: { status: 400, message: 'Missing fields in request.' },
  NoSuchBucketPolicy: { status: 404, message: 'The bucket policy does not exist' },
  NoSuchCORSConfiguration: { status: 404, message: 'The CORS configuration does not exist' },
  NoSuchLifecycleConfiguration: { status: 404, message: 'The lifecycle configuration does not exist' },
  NoSuchWebsiteConfiguration: { status: 404, message: 'The specified bucket does not have a website configuration' },
  ObjectLockConfigurationNotFoundError: { status: 404, message: 'Object Lock configuration does not exist for this bucket' },
  ServerSideEncryptionConfigurationNotFoundError: { status: 404, message: 'The server side encryption configuration was not found' },
  NoSuchTagSet: { status: 404, message: 'The TagSet does not exist' },
  NoSuchBucket: { status: 404, message: 'The specified bucket does not exist' },
  NoSuchKey: { status: 404, message: 'The specified key does not exist.' },
  NoSuchUpload: {
    status: 404,
    message:
      'The specified multipart upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.',
  },
  NoSuchVersion: {
    status: 404,
    message: 'Indicates that the version ID specified in the request does not match an existing version.',
  },
  NotImplemented: { status: 501, message: 'A header you provided implies functionality that is not implemented' },
  OperationAborted: {
    status: 409,
    message: 'A conflicting operation changed the object at the same time: nothing was stored. Repeat the request.',
  },
  PreconditionFailed: { status: 412, message: 'At least one of the pre-conditions you specified did not hold' },
  RequestTimeout: {
    status: 408,
    message: 'Your socket connection to the server was not read from or written to within the timeout period.',
  },
  RequestTimeTooSkewed: { status: 403, message: "The difference between the request time and the server's time is too large." },
  SignatureDoesNotMatch: {
    status: 403,
    message: 'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  },
  SlowDown: { status: 503, message: 'Please reduce your request' },
  InsufficientStorage: {
    status: 507,
    message: 'The storage of the server is full: nothing was stored. Free space or raise the quota, then repeat the request.',
  },
  ServiceUnavailable: { status: 503, message: 'Please try again later.' },
  XAmzContentSHA256Mismatch: {
    status: 400,
    message: "The provided 'x-amz-content-sha256' header does not match what was computed.",
  },
} as const satisfies Readonly<Record<string, Row>>;

export type S3Code = keyof typeof s3Errors;

interface S3ErrorOptions {
  /** Instead of the code's own text. */
  readonly message?: string | undefined;
  /** Instead of the code's own status. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An error as an S3 client sees it. */
export class S3Error extends Error {
  readonly code: S3Code;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: S3Code, { message, status, headers = {}, cause }: S3ErrorOptions = {}) {
    super(message ?? s3Errors[code].message, cause === undefined ? undefined : { cause });
    this.name = 'S3Error';
    this.code = code;
    this.status = status ?? s3Errors[code].status;
    this.headers = headers;
  }
}

/** Codes of the product → S3 codes. Where the meaning depends on the operation, the operation translates first. */
const byCode: Readonly<Record<ErrorCode, S3Code>> = {
  invalid: 'InvalidRequest',
  unauthenticated: 'AccessDenied',
  denied: 'AccessDenied',
  forbidden: 'AccessDenied',
  read_only: 'ErrReadOnlyRepository',
  moving: 'ServiceUnavailable',
  protected: 'ErrWriteToProtectedBranch',
  not_found: 'NoSuchKey',
  not_unique: 'InvalidRequest',
  conflict: 'InvalidRequest',
  no_changes: 'InvalidRequest',
  dirty_branch: 'InvalidRequest',
  gone: 'NoSuchBucket',
  no_data: 'InternalError',
  precondition_failed: 'PreconditionFailed',
  hook_aborted: 'PreconditionFailed',
  too_many_tries: 'SlowDown',
  slow_down: 'SlowDown',
  storage_full: 'InsufficientStorage',
  unavailable: 'ServiceUnavailable',
  unsupported: 'NotImplemented',
  corrupt: 'InternalError',
  cancelled: 'RequestTimeout',
  timeout: 'ServiceUnavailable',
  closed: 'ServiceUnavailable',
  config: 'InternalError',
  plugin: 'InternalError',
  internal: 'InternalError',
};

/** Texts of these are written for callers. */
const shown: readonly ErrorCode[] = ['invalid', 'forbidden', 'moving'];

/** What a caller may see of anything thrown; unknown errors become a plain `InternalError`. */
export function asS3Error(error: unknown): S3Error {
  if (error instanceof S3Error) return error;
  if (isStorageFull(error)) return new S3Error('InsufficientStorage', { cause: error });
  if (isOutOfFiles(error)) return new S3Error('ServiceUnavailable', { cause: error });
  if (!isSrvError(error)) return new S3Error('InternalError', { cause: error });
  return new S3Error(byCode[error.code], { cause: error, message: shown.includes(error.code) ? error.message : undefined });
}
