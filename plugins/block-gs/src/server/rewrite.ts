/** Copies within the service. */
import { objectPath } from './api.js';
import type { BucketKey } from '@srv/lib-stores/block';
import type { Api } from './api.js';
import type { Encryption } from './encryption.js';
import type { ObjectResource } from './resource.js';

/** Large objects are copied in several requests; the copy appears with the last one. */
export async function rewriteObject(
  api: Api,
  source: BucketKey,
  target: BucketKey,
  { encryption, signal }: { encryption: Encryption; signal?: AbortSignal | undefined },
): Promise<ObjectResource> {
  return encryption.reading('copy-source-encryption', async headers => {
    let rewriteToken: string | undefined;
    for (;;) {
      const answer: { done: boolean; rewriteToken?: string; resource?: ObjectResource } = await api.json({
        method: 'POST',
        path: `${objectPath(source)}/rewriteTo${objectPath(target).slice('/storage/v1'.length)}`,
        query: { rewriteToken, destinationKmsKeyName: encryption.kmsKeyName },
        headers: { ...encryption.headers, ...headers },
        json: {},
        signal,
      });
      if (answer.done && answer.resource) return answer.resource;
      rewriteToken = answer.rewriteToken;
    }
  });
}
