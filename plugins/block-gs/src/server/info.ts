/** What the store states about itself. */
import { storageInfo } from '@srv/lib-stores/block';
import { scheme } from './address.js';
import type { StorageInfo } from '@srv/lib-stores/block';
import type { Encryption } from './encryption.js';
import type { GsStoreOptions } from './options.js';

export function gsInfo({ disablePreSigned, disablePreSignedUi }: GsStoreOptions, encryption: Encryption): StorageInfo {
  const preSign = !disablePreSigned;
  return storageInfo(scheme, {
    preSign,
    preSignUi: preSign && !disablePreSignedUi,
    // A URL cannot make its user send the headers of an encrypted part.
    preSignMultipart: preSign && !encryption.hasCustomerKey && encryption.kmsKeyName === undefined,
    importSupported: true,
  });
}
