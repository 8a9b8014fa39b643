/** Requests of multipart uploads that clients send themselves. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { copySource } from './copy.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SignedRequest, UploadStep } from '@srv/lib-stores/block';
import type { ObjectPlace } from './address.js';

/** @param expiryMs validity in milliseconds. */
export async function signUploadStep(
  client: S3Client,
  { bucket, key }: Pick<ObjectPlace, 'bucket' | 'key'>,
  step: UploadStep<ObjectPlace>,
  expiryMs: number,
): Promise<SignedRequest> {
  const object = { Bucket: bucket, Key: key };
  const headers = headersOf(step);
  const options = { expiresIn: Math.floor(expiryMs / 1000), unhoistableHeaders: new Set(Object.keys(headers)) };
  return { url: await sign(), headers };

  function sign(): Promise<string> {
    if (step.step === 'create') return getSignedUrl(client, new CreateMultipartUploadCommand(object), options);
    const upload = { ...object, UploadId: step.uploadId };
    if (step.step === 'abort') return getSignedUrl(client, new AbortMultipartUploadCommand(upload), options);
    if (step.step === 'complete') return getSignedUrl(client, new CompleteMultipartUploadCommand({ ...upload, IfNoneMatch: '*' }), options);
    const range = headers['x-amz-copy-source-range'];
    const part = {
      ...upload,
      PartNumber: step.partNumber,
      CopySource: copySource(step.source),
      ...(range ? { CopySourceRange: range } : {}),
    };
    return getSignedUrl(client, new UploadPartCopyCommand(part), options);
  }
}

/** What the signature covers beside the URL. */
function headersOf(step: UploadStep<ObjectPlace>): Readonly<Record<string, string>> {
  if (step.step === 'complete') return { 'if-none-match': '*' };
  if (step.step !== 'copyPart') return {};
  const { source, range } = step;
  return {
    'x-amz-copy-source': copySource(source),
    ...(range ? { 'x-amz-copy-source-range': `bytes=${range.start}-${range.end}` } : {}),
  };
}
