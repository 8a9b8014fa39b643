/** Requests that remove many objects. */
import { DeleteObjectsCommand } from '@aws-sdk/client-s3';
import { isSrvError } from '@srv/kernel';
import { abortable } from './abortable.js';
import { UnexpectedAnswer } from './errors.js';
import type { BatchRemoval } from '@srv/lib-stores/block';
import type { ObjectPlace } from './address.js';

/** Codes of the answer for one key that mean it is gone. */
const gone = new Set(['NoSuchKey', 'NoSuchVersion']);

/** @param limit objects of one request. */
export function batchRemoval(limit: number): BatchRemoval<ObjectPlace> {
  return {
    limit,
    groupOf: ({ bucket }) => bucket,
    /** Keys lie in the body of the request, and XML cannot hold every character. */
    fits: ({ key }) => !/[\p{Cc}\p{Cs}\ufffe\uffff]/u.test(key),
    async remove(places, signal) {
      const remaining = new Map<ObjectPlace, unknown>();
      const [first] = places;
      if (!first) return remaining;
      const byKey = new Map(places.map(place => [place.key, place]));
      // Not `Quiet`: an answer that names nothing could be that of something else than a store.
      const list = { Objects: [...byKey.keys()].map(Key => ({ Key })) };
      const { Deleted = [], Errors = [] } = await first.client.send(
        new DeleteObjectsCommand({ Bucket: first.bucket, Delete: list }),
        abortable(signal),
      );
      for (const { Key = '', Code = '', Message = '' } of Errors) {
        const place = byKey.get(Key);
        if (place && !gone.has(Code)) remaining.set(place, Object.assign(new Error(Message), { name: Code, $metadata: {} }));
      }
      const answered = new Set([...Deleted, ...Errors].map(({ Key }) => Key));
      for (const [key, place] of byKey)
        if (!answered.has(key)) remaining.set(place, new UnexpectedAnswer('the answer does not name the object'));
      return remaining;
    },
    /** Some stores and proxies do not know the request, or want other checksums with it. */
    isUnsupported: failure => isSrvError(failure, 'unsupported', 'invalid', 'no_data'),
  };
}
