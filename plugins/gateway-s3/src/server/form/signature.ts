/** Signatures of forms: of their policy, in both versions. */
import { createHmac } from 'node:crypto';
import { parseAmzDate } from '../protocol/dates.js';
import { S3Error } from '../protocol/errors.js';
import { equalText } from '../signature/compare.js';
import { algorithm, signText } from '../signature/v4.js';
import { parseCredential } from '../signature/v4-checks.js';
import type { PresentedSignature } from '../signature/request.js';
import type { FormFields } from './read-form.js';

/** A field that must be there. @throws S3Error `InvalidArgument` that says so as S3 does. */
function required(fields: FormFields, name: string): string {
  const value = fields.text(name);
  if (value !== undefined) return value;
  throw new S3Error('InvalidArgument', {
    message: `Bucket POST must contain a field named '${name}'. If it is specified, please check the order of the fields.`,
  });
}

/**
 * The signature of a form.
 * @throws S3Error `AccessDenied` for a form without a policy, `InvalidArgument` when a field is missing or malformed.
 */
export function findFormSignature(fields: FormFields): { readonly policy: string; readonly signature: PresentedSignature } {
  const policy = fields.text('policy');
  if (policy === undefined) throw new S3Error('AccessDenied');
  const isVersion4 = ['x-amz-algorithm', 'x-amz-credential', 'x-amz-signature'].some(name => fields.text(name) !== undefined);
  return { policy, signature: isVersion4 ? version4(fields, policy) : version2(fields, policy) };
}

function version2(fields: FormFields, policy: string): PresentedSignature {
  const accessKeyId = required(fields, 'AWSAccessKeyId');
  const signature = required(fields, 'Signature');
  return {
    accessKeyId,
    verify(secret) {
      const expected = createHmac('sha1', secret).update(policy, 'utf8').digest('base64');
      if (!equalText(expected, signature.trim())) throw new S3Error('SignatureDoesNotMatch');
      return undefined;
    },
  };
}

function version4(fields: FormFields, policy: string): PresentedSignature {
  if (required(fields, 'X-Amz-Algorithm') !== algorithm)
    throw new S3Error('InvalidArgument', { message: `X-Amz-Algorithm only supports "${algorithm}"` });
  const credential = parseCredential(required(fields, 'X-Amz-Credential'));
  if (!credential) {
    throw new S3Error('InvalidArgument', {
      message:
        'Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    });
  }
  const date = required(fields, 'X-Amz-Date');
  const signature = required(fields, 'X-Amz-Signature');
  const { scope, accessKeyId } = credential;
  if (!parseAmzDate(date) || !date.startsWith(scope.day))
    throw new S3Error('InvalidArgument', {
      message: 'X-Amz-Date must be a date of the form YYYYMMDDTHHMMSSZ, of the day of the credential.',
    });
  return {
    accessKeyId,
    verify(secret) {
      if (!equalText(signText(policy, scope, secret), signature)) throw new S3Error('SignatureDoesNotMatch');
      return undefined;
    },
  };
}
