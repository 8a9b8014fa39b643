/** How a large file is cut into parts. */

/** Bytes. */
const usualPart = 32 << 20;
/** Each has a URL in the answer that asks for them. */
const mostParts = 1000;

/** Bytes of every part but the last. @param size of the file, in bytes. */
function partSizeOf(size: number): number {
  return Math.max(usualPart, Math.ceil(size / mostParts));
}

export function partCountOf(size: number): number {
  return Math.ceil(size / partSizeOf(size));
}

/** Bytes of one part. @param number from 1. */
export function bytesOfPart(size: number, number: number): number {
  const most = partSizeOf(size);
  return Math.max(0, Math.min(most, size - (number - 1) * most));
}
