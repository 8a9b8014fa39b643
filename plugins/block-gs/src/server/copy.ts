/** Copies within the service. */
import { objectPath } from './client.js';
import { toSrvError, unexpectedAnswer } from './errors.js';
import { objectOf } from './resource.js';
import type { ObjectPlace } from './address.js';
import type { Api } from './client.js';
import type { Encryption } from './encryption.js';
import type { ObjectResource } from './resource.js';

/** Large objects are copied in several requests; the copy appears with the last one. @throws SrvError that names the source. */
export async function copyObject(
  api: Api,
  source: ObjectPlace,
  target: ObjectPlace,
  { encryption, signal }: { encryption: Encryption; signal?: AbortSignal | undefined },
): Promise<ObjectResource> {
  try {
    return await encryption.reading('copy-source-encryption', async headers => {
      let rewriteToken: string | undefined;
      for (;;) {
        const answer: { done: boolean; rewriteToken?: string; resource?: ObjectResource } | undefined = await api.json({
          method: 'POST',
          path: `${objectPath(source)}/rewriteTo${objectPath(target).slice('/storage/v1'.length)}`,
          query: { rewriteToken, destinationKmsKeyName: encryption.kmsKeyName },
          headers: { ...encryption.headers, ...headers },
          json: {},
          signal,
        });
        if (answer?.done) return objectOf(answer.resource);
        if (!answer?.rewriteToken) throw unexpectedAnswer('it does not say how far the copy has got');
        rewriteToken = answer.rewriteToken;
      }
    });
  } catch (error) {
    throw toSrvError(error, source.address, api.endpoint, signal);
  }
}
