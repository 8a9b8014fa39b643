/** Bytes of a file, read by ranges. */

export interface ByteSource {
  /** Bytes there are. */
  readonly size: number;
  /** A file of at most that many bytes is fetched whole; absent: 4 MiB. */
  readonly smallBytes?: number;
  /** @param end exclusive. @returns bytes of their own buffer. */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
}

export function memorySource(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: (start, end) => Promise.resolve(new Uint8Array(bytes.subarray(start, end))) };
}

/** Bytes of a block; reads of at most one are answered from blocks. */
const blockSize = 4 * 1024;
const mostBlocks = 1024;
/** A smaller file is fetched whole. */
const smallFile = 4 * 1024 * 1024;

/** Small reads next to each other become one request; large ones go through. */
export async function cachedSource(source: ByteSource): Promise<ByteSource> {
  if (source.size <= (source.smallBytes ?? smallFile)) return memorySource(await source.read(0, source.size));
  const blocks = new Map<number, Promise<Uint8Array<ArrayBuffer>>>();
  const block = (number: number): Promise<Uint8Array<ArrayBuffer>> => {
    const known = blocks.get(number);
    if (known) return known;
    const reading = source.read(number * blockSize, Math.min(source.size, (number + 1) * blockSize));
    reading.catch(() => blocks.delete(number));
    blocks.set(number, reading);
    const [oldest] = blocks.keys();
    if (blocks.size > mostBlocks && oldest !== undefined) blocks.delete(oldest);
    return reading;
  };
  return {
    size: source.size,
    async read(start, end) {
      if (end - start > blockSize) return source.read(start, end);
      const first = Math.floor(start / blockSize);
      const [head, tail] = await Promise.all([block(first), end > (first + 1) * blockSize ? block(first + 1) : undefined]);
      const bytes = new Uint8Array(end - start);
      const at = start - first * blockSize;
      const fromHead = head.subarray(at, at + bytes.length);
      bytes.set(fromHead);
      if (tail) bytes.set(tail.subarray(0, bytes.length - fromHead.length), fromHead.length);
      return bytes;
    },
  };
}
