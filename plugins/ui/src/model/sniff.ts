/** What bytes are, where nothing else says so. */
import { decodeText, markedEncoding } from '@srv/lib-records/tables/text-encoding';

/** Bytes that are looked at. */
const looked = 8192;
/** Control characters that texts have: line ends, tabs, page ends, and the beginning of terminal colours. */
const inTexts = new Set([9, 10, 12, 13, 27]);
/** Part of the bytes of a text that may lie outside of ASCII when it is not UTF-8. */
const mostForeign = 0.3;
/** Part of the bytes of a text in UTF-8 that may be damaged. */
const mostWrong = 0.1;

/** UTF-8, UTF-16 with its mark, or a text of one byte a character; nothing with other control characters. @param whole false: the last character may be cut. */
export function looksLikeText(bytes: Uint8Array, whole = true): boolean {
  if (markedEncoding(bytes) !== undefined) return true;
  const head = bytes.subarray(0, looked);
  let foreign = 0;
  for (const byte of head) {
    if (byte < 32 && !inTexts.has(byte)) return false;
    if (byte > 127) foreign++;
  }
  const { encoding, wrong } = decodeText(head, !whole || head.length < bytes.length);
  if (encoding === 'utf-8') return wrong <= head.length * mostWrong;
  return head.length > 16 && foreign / head.length <= mostForeign;
}
