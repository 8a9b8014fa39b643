/** Whether an address matches a pattern of the block store, as the server states it. One that this browser cannot read fits all. */
export function fitsStorePattern(pattern: string, address: string): boolean {
  try {
    return new RegExp(pattern).test(address);
  } catch {
    return true;
  }
}
