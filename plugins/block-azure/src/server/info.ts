/** What the store states about itself. */
import type { StorageInfo } from '@srv/lib-stores/block';
import type { AzureStoreOptions } from './options.js';

export function azureInfo({ disablePreSigned, disablePreSignedUi }: AzureStoreOptions, domain: string): StorageInfo {
  const pattern = `^https?://[a-z0-9_-]+\\.${domain.replaceAll('.', '\\.')}`;
  return {
    type: 'azure',
    namespacePattern: pattern,
    namespaceExample: `https://mystorageaccount.${domain}/mycontainer/`,
    defaultNamespacePrefix: '',
    preSign: !disablePreSigned,
    preSignUi: !disablePreSigned && !disablePreSignedUi,
    // The answer to a block has no etag, which clients that upload parts by URL read.
    preSignMultipart: false,
    importSupported: true,
    importPattern: pattern,
    // Account and container.
    wholeSegments: 2,
    productionSafe: true,
  };
}
