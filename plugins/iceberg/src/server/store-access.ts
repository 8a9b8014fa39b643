/** Credentials of the store itself, for tables whose files have addresses there. */
import { namespaceOf, splitNamespace, storeOf, walkUri } from '@srv/lib-stores/block';
import { CatalogError } from './errors.js';
import { filePath, folderPrefix } from './storage/table-files.js';
import type { Repository } from '@srv/engine/contract';
import type { BlockStore, VendRequest, VendedCredentials } from '@srv/lib-stores/block';

export class StoreAccess {
  readonly #block: BlockStore;

  constructor(block: BlockStore) {
    this.#block = block;
  }

  /**
   * Properties of the client: empty where the store is not configured to vend credentials; clients then use their own.
   * @param location of a table. @throws CatalogError 400 for one that is the folder of all tables, or leads out of it.
   */
  async to(repository: Repository, location: string, request: VendRequest): Promise<Record<string, string>> {
    const path = filePath(repository, location) ?? '';
    if (path === '' || path.split('/').some(part => part === '.' || part === '..'))
      throw new CatalogError(400, 'BadRequestException', `${location} is not the location of one table`);
    const uri = walkUri(this.#block, namespaceOf(repository), `${folderPrefix}${path}/`);
    const store = storeOf(this.#block, uri);
    return store.vend ? properties(await store.vend(splitNamespace(uri).storageNamespace, request)) : {};
  }
}

function properties(vended: VendedCredentials): Record<string, string> {
  const expiry = String(vended.expiry.getTime());
  if (vended.kind === 'gs') return { 'gcs.oauth2.token': vended.token, 'gcs.oauth2.token-expires-at': expiry };
  if (vended.kind === 'azure') {
    const { account, host, sas } = vended;
    return {
      [`adls.sas-token.${host}`]: sas,
      [`adls.sas-token-expires-at-ms.${host}`]: expiry,
      'adls.account-name': account,
      'adls.sas-token': sas,
    };
  }
  const { accessKeyId, secretAccessKey, sessionToken, region, endpoint, forcePathStyle } = vended;
  return {
    's3.access-key-id': accessKeyId,
    's3.secret-access-key': secretAccessKey,
    's3.session-token': sessionToken,
    's3.session-token-expires-at-ms': expiry,
    's3.region': region,
    'client.region': region,
    ...(endpoint === undefined ? {} : { 's3.endpoint': endpoint }),
    ...(forcePathStyle ? { 's3.path-style-access': 'true' } : {}),
  };
}
