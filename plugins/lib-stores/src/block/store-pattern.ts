/** Longest address of which a pattern reads more than the length, in UTF-16 code units: a bucket, and a key of 1024 bytes. */
const maxLength = 4096;

/**
 * Whether an address matches a pattern of {@link StorageInfo}. The pattern is a regular expression of the plugin, the address
 * is of a user, so that its length is bounded.
 */
export function fitsStorePattern(pattern: string, address: string): boolean {
  return address.length <= maxLength && new RegExp(pattern).test(address);
}
