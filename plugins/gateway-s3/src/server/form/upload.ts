/** A form as a request to write an object: everything that its policy was asked about. */

import { splitKey } from '../protocol/address.js';
import { S3Error } from '../protocol/errors.js';
import { HeaderLines } from '../protocol/headers.js';
import { documentTags } from '../protocol/tags.js';
import { checkForm, parsePolicy } from './policy.js';
import { findFormSignature } from './signature.js';
import type { Readable } from 'node:stream';
import type { Tag } from '../protocol/tags.js';
import type { PresentedSignature } from '../signature/request.js';
import type { SizeRange } from './policy.js';
import type { FormFields, UploadForm } from './read-form.js';

export interface FormUpload {
  readonly ref: string;
  readonly path: string;
  /** Fields that are headers of other requests. */
  readonly headers: HeaderLines;
  readonly tags: readonly Tag[];
  readonly file: Readable;
  readonly sizes: SizeRange;
  /** What the answer is to be when the object is there. */
  readonly success: { readonly status: 200 | 201 | 204; readonly redirect?: URL | undefined };
}

const descriptive = ['cache-control', 'content-type', 'content-disposition', 'content-encoding', 'content-language', 'expires'];
/** On the write itself. */
const conditions = ['content-md5', 'if-match', 'if-none-match'];
const aboutSignature = ['x-amz-signature', 'x-amz-algorithm', 'x-amz-credential', 'x-amz-date', 'x-amz-security-token'];

/** @throws S3Error `AccessDenied` for a form without a policy, `InvalidArgument`. */
export function signatureOf({ fields }: UploadForm): PresentedSignature {
  keyOf(fields);
  return findFormSignature(fields).signature;
}

/**
 * What a form whose signature was verified asks for.
 * @throws S3Error `InvalidPolicyDocument`, `AccessDenied` when the policy does not allow it; `InvalidArgument` without a key.
 */
export function formUpload({ fields, file }: UploadForm, bucket: string, now: Date): FormUpload {
  const { policy } = findFormSignature(fields);
  const sizes = checkForm(parsePolicy(policy), fields, bucket, now);
  const { ref, path } = splitKey(keyOf(fields));
  const tagging = fields.text('tagging');
  return {
    ref,
    path,
    headers: new HeaderLines(headerNames(fields).flatMap(name => [name, fields.bytes(name) ?? ''])),
    tags: tagging === undefined ? [] : documentTags(tagging),
    file,
    sizes,
    success: successOf(fields),
  };
}

function keyOf(fields: FormFields): string {
  const key = fields.text('key');
  if (key === undefined || key === '') {
    throw new S3Error('InvalidArgument', {
      message: "Bucket POST must contain a field named 'key'. If it is specified, please check the order of the fields.",
    });
  }
  return key;
}

function headerNames(fields: FormFields): string[] {
  const taken = [...descriptive, ...conditions];
  return fields.names().filter(name => taken.includes(name) || (name.startsWith('x-amz-') && !aboutSignature.includes(name)));
}

/** What cannot be understood is ignored: the object is there in any case. */
function successOf(fields: FormFields): FormUpload['success'] {
  const status = fields.text('success_action_status');
  const redirect = fields.text('success_action_redirect') ?? fields.text('redirect');
  return {
    status: status === '200' ? 200 : status === '201' ? 201 : 204,
    redirect: redirect !== undefined && /^https?:\/\//i.test(redirect) && URL.canParse(redirect) ? new URL(redirect) : undefined,
  };
}
