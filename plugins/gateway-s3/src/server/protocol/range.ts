/** `x-amz-copy-source-range`. */
import { isLessNumber } from '@srv/lib-api/http';
import type { ByteRange } from '@srv/lib-stores/block';

/** `x-amz-copy-source-range`: `bytes=first-last`, both given. `undefined` when it has another form. */
export function parseCopyRange(header: string): ByteRange | undefined {
  const match = /^bytes=(\d+)-(\d+)$/.exec(header.trim());
  if (!match) return undefined;
  const [, first = '', last = ''] = match;
  return isLessNumber(last, first) ? undefined : { start: Number(first), end: Number(last) };
}
