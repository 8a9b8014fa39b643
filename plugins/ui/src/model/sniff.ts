/** What bytes are, where nothing else says so. */

/** Bytes that are looked at. */
const looked = 8192;

/** UTF-8 without control characters that texts do not have. @param whole false: the last character may be cut. */
export function looksLikeText(bytes: Uint8Array, whole = true): boolean {
  const head = bytes.subarray(0, looked);
  for (const byte of head) if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: !whole || head.length < bytes.length });
    return true;
  } catch {
    return false;
  }
}
