/** What the store states about itself. */
import { storageInfo } from '@srv/lib-stores/block';
import { scheme } from './address.js';
import type { StorageInfo } from '@srv/lib-stores/block';
import type { S3Settings } from './options.js';

export function s3Info(values: S3Settings, isEncrypted: boolean): StorageInfo {
  const preSign = !values['blockstore.s3.disable_pre_signed'];
  const preSignMultipart = preSign && values['blockstore.s3.disable_pre_signed_multipart'] !== true;
  return storageInfo(scheme, {
    preSign,
    preSignUi: preSign && !values['blockstore.s3.disable_pre_signed_ui'],
    preSignMultipart,
    // Uploads that clients begin would not be encrypted.
    clientMultipart: preSignMultipart && !isEncrypted,
    importSupported: true,
    region: values['blockstore.s3.region'],
  });
}
