/** Whether objects travel directly between this program and the object store. */
import type { OptionValue } from '@srv/lib-commands';
import type { Client } from '../operations/client.js';

export interface PreSignMode {
  readonly enabled: boolean;
  readonly multipart: boolean;
  /** What the object store wants of a pre-signed upload. */
  readonly headers: Readonly<Record<string, string>>;
}

const off: PreSignMode = { enabled: false, multipart: false, headers: {} };

/**
 * The server's answer, unless the user declined.
 * @param option value of `--pre-sign`; true asks the server, which may still say no.
 */
export async function preSignMode(api: Client, repository: string, option: OptionValue): Promise<PreSignMode> {
  if (option === false) return off;
  const { storage_config: only, storage_config_list: list = [] } = await api.getConfig({});
  const config = list.length > 1 ? await configOf(api, repository, list) : only;
  return {
    enabled: config?.pre_sign_support === true,
    multipart: config?.pre_sign_multipart_upload === true,
    headers: config?.blockstore_type === 'azure' ? { 'x-ms-blob-type': 'BlockBlob' } : {},
  };
}

async function configOf<C extends { readonly blockstore_id?: string | undefined }>(
  api: Client,
  repository: string,
  list: readonly C[],
): Promise<C> {
  const { storage_id: id = '' } = await api.getRepository({ repository });
  const config = list.find(({ blockstore_id: blockstore = '' }) => blockstore === id);
  if (!config) throw new Error(`Storage config not found for repo ${repository}`);
  return config;
}
