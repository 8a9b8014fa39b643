/** What the store states about itself. */
import type { StorageInfo } from '@srv/lib-stores/block';
import type { Encryption } from './encryption.js';
import type { GsStoreOptions } from './options.js';

export function storageInfo({ disablePreSigned, disablePreSignedUi }: GsStoreOptions, encryption: Encryption): StorageInfo {
  const preSign = !disablePreSigned;
  return {
    type: 'gs',
    namespacePattern: '^gs://',
    namespaceExample: 'gs://example-bucket/',
    defaultNamespacePrefix: '',
    preSign,
    preSignUi: preSign && !disablePreSignedUi,
    // A URL cannot make its user send the headers of an encrypted part.
    preSignMultipart: preSign && !encryption.hasCustomerKey && encryption.kmsKeyName === undefined,
    importSupported: true,
    importPattern: '^gs://',
    productionSafe: true,
  };
}
