/** Bytes of a Parquet file as its reader takes them, and what its errors mean. */
import type { AsyncBuffer } from 'hyparquet';
import type { ByteSource } from './byte-source.js';

/**
 * Has the reader read a file.
 * @throws Error in words for people where the reader cannot; errors of the source, such as of the network, unchanged.
 */
export async function withFile<T>(source: ByteSource, read: (file: AsyncBuffer) => T | Promise<T>): Promise<T> {
  let ofSource: { readonly error: unknown } | undefined;
  const file: AsyncBuffer = {
    byteLength: source.size,
    async slice(start, end = source.size) {
      try {
        return (await source.read(start, end)).buffer;
      } catch (error) {
        ofSource = { error };
        throw error;
      }
    },
  };
  try {
    return await read(file);
  } catch (error) {
    throw ofSource ? ofSource.error : inWords(error);
  }
}

function inWords(error: unknown): Error {
  if (error instanceof Error && error.message.startsWith('this Parquet file')) return error;
  const reason =
    error instanceof Error && error.message.includes('unsupported') ? error.message : 'it is damaged, encrypted, or of another format';
  return new Error(`this Parquet file cannot be read: ${reason}`, { cause: error });
}
