/** Compressed files of tables, and parts of them. */
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { unpackZstd as unpackInScript } from '@srv/lib-records/tables/zstd';

type Unpack = (packed: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

/** Node.js has it from 22.15 on. */
const { zstdDecompress } = zlib as { readonly zstdDecompress?: Parameters<typeof promisify>[0] };
const unpackByNode = zstdDecompress && (promisify(zstdDecompress) as Unpack);
const gunzip: Unpack = promisify(zlib.gunzip);

/** Bytes that are unpacked on the serving thread at most: a few milliseconds. */
const mostInScript = 4 << 20;

/** @param most bytes of the result. @throws Error where there would be more, or the bytes are damaged. */
export async function unpackZstd(packed: Buffer, most: number): Promise<Buffer> {
  if (unpackByNode) return unpackByNode(packed, { maxOutputLength: most });
  return Buffer.from(unpackInScript(packed, Math.min(most, mostInScript)));
}

const [gzipMark, zstdMark] = [Buffer.from([0x1f, 0x8b]), Buffer.from([0x28, 0xb5, 0x2f, 0xfd])];

/** A metadata file, which its writer may have compressed. @param most bytes of the result. @throws Error as {@link unpackZstd}. */
export async function unpackedDocument(bytes: Buffer, most: number): Promise<Buffer> {
  const begins = (mark: Buffer): boolean => bytes.subarray(0, mark.length).equals(mark);
  if (begins(gzipMark)) return gunzip(bytes, { maxOutputLength: most });
  return begins(zstdMark) ? unpackZstd(bytes, most) : bytes;
}
