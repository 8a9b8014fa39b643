/** Headers that request protection of an object. A request for protection that is not offered must fail. */
import { S3Error } from './errors.js';
import type { HeaderLines } from './headers.js';

interface ProtectionHeader {
  readonly header: RegExp;
  /** Which values promise something. Default: all. */
  readonly when?: (value: string) => boolean;
}

const protectionHeaders: readonly ProtectionHeader[] = [
  { header: /^x-amz-(copy-source-)?server-side-encryption-customer-/ },
  { header: /^x-amz-server-side-encryption-(aws-kms-key-id|context)$/ },
  { header: /^x-amz-server-side-encryption-bucket-key-enabled$/, when: value => value.toLowerCase() === 'true' },
  // The keys of the block store: whether it has any is its configuration, as with S3's own default.
  { header: /^x-amz-server-side-encryption$/, when: value => value !== 'AES256' },
  { header: /^x-amz-object-lock-(mode|retain-until-date)$/ },
  { header: /^x-amz-object-lock-legal-hold$/, when: value => value.toUpperCase() !== 'OFF' },
];

/** @throws S3Error `NotImplemented` that names the header. */
export function rejectUnsupportedProtection(headers: HeaderLines): void {
  for (const name of headers.names().sort()) {
    if (!name.startsWith('x-amz-')) continue;
    const value = headers.text(name);
    if (value === undefined || !protectionHeaders.some(({ header, when }) => header.test(name) && (when?.(value) ?? true))) continue;
    throw new S3Error('NotImplemented', {
      message: `The header ${name} asks for protection that is not offered here; leave it out and configure the block store, branch protection or policies instead.`,
    });
  }
}

const expectedOwners = ['x-amz-expected-bucket-owner', 'x-amz-source-expected-bucket-owner'];

/** @param owner of every bucket. @throws S3Error `AccessDenied` when the request is meant for the buckets of another owner. */
export function checkExpectedOwner(headers: HeaderLines, owner: () => string): void {
  for (const name of expectedOwners) {
    const expected = headers.text(name);
    if (expected !== undefined && expected !== owner()) {
      throw new S3Error('AccessDenied', { message: `The bucket belongs to another owner than ${name} says.` });
    }
  }
}
