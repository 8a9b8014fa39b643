/** PostObject: a form in a browser uploads an object. */
import { quoteEtag } from '@srv/lib-api/http';
import { percentEncode } from '../protocol/percent.js';
import { checksumHeaders } from '../protocol/stored-checksum.js';
import { element } from '../protocol/xml-writer.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';
import { storeObject } from './put-object.js';
import type { FormUpload } from '../form/upload.js';
import type { ObjectContext } from './context.js';
import type { S3Operation } from './operation.js';

/** The operation for one form. */
export function postObject({ tags, success }: FormUpload): S3Operation<ObjectContext> {
  return objectOperation({
    name: 'PostObject',
    method: 'POST',
    writes: true,
    permission: onObject('fs:WriteObject'),
    async handle(context) {
      const { repository, ref, path, origin, answer } = context;
      const { etag, checksum } = await storeObject(context, tags);
      const key = `${ref}/${path}`;
      const { status, redirect } = success;
      if (redirect) {
        redirect.search += `${redirect.search === '' ? '?' : '&'}bucket=${repository.id}&key=${percentEncode(key, '/')}&etag=${percentEncode(quoteEtag(etag))}`;
        return answer.empty(303, { Location: redirect.href });
      }
      const location = `${origin}/${repository.id}/${percentEncode(key, '/')}`;
      const headers = { ETag: quoteEtag(etag), Location: location, ...checksumHeaders(checksum) };
      if (status !== 201) return answer.empty(status, headers);
      const document = element('PostResponse', [
        element('Location', location),
        element('Bucket', repository.id),
        element('Key', key),
        element('ETag', quoteEtag(etag)),
      ]);
      await answer.xml(document, { status, headers });
    },
  });
}
