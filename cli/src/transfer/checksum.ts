/** Counts and hashes bytes on their way. */
import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';

export interface Meter {
  readonly stream: Transform;
  bytes(): number;
  /** Hexadecimal MD5, once everything has passed. */
  md5(): string;
}

export function meter(onBytes: (count: number) => void): Meter {
  const hash = createHash('md5');
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      onBytes(chunk.length);
      done(null, chunk);
    },
  });
  return { stream, bytes: () => bytes, md5: () => hash.digest('hex') };
}

/** The MD5 in a checksum or entity tag; `undefined` for tags that are none, such as those of multi-part uploads. */
export function md5Of(tag: string | undefined): string | undefined {
  const bare = tag?.replace(/^W\//, '').replaceAll('"', '').toLowerCase();
  return bare !== undefined && /^[0-9a-f]{32}$/.test(bare) ? bare : undefined;
}
