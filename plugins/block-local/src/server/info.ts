/** What the store states about itself. */
import { storageInfo } from '@srv/lib-stores/block';
import { scheme } from './files/roots.js';
import type { StorageInfo } from '@srv/lib-stores/block';

export function localInfo(importSupported: boolean): StorageInfo {
  return storageInfo(scheme, {
    defaultNamespacePrefix: `${scheme}://`,
    importSupported,
    wholeSegments: Number.POSITIVE_INFINITY,
  });
}
