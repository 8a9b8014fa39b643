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
