/** Requests that remove many blobs. */
import { BlobBatch } from '@azure/storage-blob';
import { isSrvError } from '@srv/kernel';
import type { BatchRemoval } from '@srv/lib-stores/block';
import type { BlobPlace } from './address.js';
import type { Accounts } from './client.js';

export function batchRemoval(accounts: Accounts): BatchRemoval<BlobPlace> {
  return {
    /** The limit of the service. */
    limit: 256,
    groupOf: ({ account }) => account,
    async remove(places, signal) {
      const [first] = places;
      const remaining = new Map<BlobPlace, unknown>();
      if (!first) return remaining;
      const batch = new BlobBatch();
      // Snapshots would keep their blob.
      for (const place of places) await batch.deleteBlob(accounts.blob(place), { deleteSnapshots: 'include' });
      const client = accounts.service(first.account).getBlobBatchClient();
      const { subResponses } = await client.submitBatch(batch, signal ? { abortSignal: signal } : {});
      for (const [i, place] of places.entries()) {
        const { status, statusMessage, errorCode } = subResponses[i] ?? { status: 0, statusMessage: 'no answer for this object' };
        if ((status >= 200 && status < 300) || status === 404) continue;
        remaining.set(place, Object.assign(new Error(statusMessage), { statusCode: status === 0 ? 500 : status, code: errorCode }));
      }
      return remaining;
    },
    /** Accounts of some kinds, and some emulators, do not know the request. */
    isUnsupported: failure => !isSrvError(failure, 'slow_down', 'unavailable', 'forbidden'),
  };
}
