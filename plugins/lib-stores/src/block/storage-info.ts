/** What a store of buckets states about itself. */
import type { StorageInfo } from './contract.js';

/** @param special what differs from a store that neither signs nor imports. */
export function storageInfo(type: string, { scheme = type, ...special }: Partial<StorageInfo> & { readonly scheme?: string }): StorageInfo {
  return {
    type,
    namespacePattern: `^${scheme}://`,
    namespaceExample: `${scheme}://example-bucket/`,
    defaultNamespacePrefix: '',
    preSign: false,
    preSignUi: false,
    preSignMultipart: false,
    importSupported: false,
    importPattern: `^${scheme}://`,
    productionSafe: true,
    ...special,
  };
}
