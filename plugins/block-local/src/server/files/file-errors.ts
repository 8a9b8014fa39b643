/** Reasons of failed file operations, and what the caller of the store sees. */
import { SrvError, isSrvError, isStorageFull, messageOf } from '@srv/kernel';
import { codeOf } from './error-codes.js';

/** Gives `undefined` instead of an error when the reason is one of `codes`. */
export async function unless<T>(work: Promise<T>, ...codes: string[]): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

const explanations: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is larger than the file system or a limit of the process allows',
  EROFS: 'the disk is mounted read-only',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EIO: 'the disk reports a fault',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EXDEV: 'its folder is on another file system than the block store',
};

/** Runs a write; a fault of the disk becomes `unavailable`, a full one `storage_full`, named by address. */
export async function writing<T>(address: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (isSrvError(error)) throw error;
    if (code === 'ENAMETOOLONG') throw new SrvError('invalid', `${address}: the name is too long for the file system`, { cause: error });
    if (!(code in explanations)) throw error;
    const meaning = isStorageFull(error) ? 'storage_full' : 'unavailable';
    throw new SrvError(meaning, `${address}: failed to write to storage: ${explanations[code]} (${messageOf(error)})`, {
      cause: error,
    });
  }
}

export function noData(address: string): SrvError {
  return new SrvError('no_data', `${address}: no such object`);
}
