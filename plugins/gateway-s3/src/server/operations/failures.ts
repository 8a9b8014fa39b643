/** Translations that depend on what an operation was doing. */
import { isSrvError } from '@srv/kernel';
import { S3Error } from '../protocol/errors.js';
import type { ErrorCode } from '@srv/kernel';
import type { S3Code } from '../protocol/errors.js';

/** Runs `work`; SrvErrors of the listed codes become the S3 errors beside them. */
export async function translating<T>(codes: Partial<Readonly<Record<ErrorCode, S3Code>>>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = isSrvError(error) ? codes[error.code] : undefined;
    if (code === undefined) throw error;
    throw new S3Error(code, { cause: error });
  }
}

/**
 * The entry is there, so the object is not missing to its readers: it is lost, or other bytes are in its place. A client that
 * synchronises must not take that for a deleted object.
 */
export async function withLostData<T>(opened: Promise<T>): Promise<T> {
  try {
    return await opened;
  } catch (error) {
    if (!isSrvError(error, 'no_data', 'corrupt')) throw error;
    const what = error.code === 'no_data' ? 'is missing from' : 'has another size in';
    throw new S3Error('InternalError', {
      message: `The data of this object ${what} the block store. The log of the server has its address.`,
      cause: error,
    });
  }
}
