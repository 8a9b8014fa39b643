/** Where browsers reach the object store of a repository. */
import { isSrvError } from '@srv/kernel';
import { identifierType, namespaceOf, storeOf } from '@srv/lib-stores/block';
import type {} from '@srv/engine/contract';
import type { ServiceRegistry } from '@srv/kernel';

/** Never written: only the start of its URL counts. */
const example = 'data/example';

/** `undefined` where nothing is written directly: for an unknown repository, or a store without pre-signed URLs in the page. */
export async function storeOrigin(services: ServiceRegistry, repository: string): Promise<string | undefined> {
  const block = services.find('block');
  const engine = services.find('engine');
  if (!block || !engine) return undefined;
  try {
    const namespace = namespaceOf(await engine.getRepository(repository));
    if (!storeOf(block, namespace).info.preSignUi) return undefined;
    const { url } = await block.preSign({ namespace, identifier: example, identifierType: identifierType.relative }, 'write');
    return new URL(url).origin;
  } catch (error) {
    if (isSrvError(error, 'not_found', 'invalid')) return undefined;
    throw error;
  }
}
