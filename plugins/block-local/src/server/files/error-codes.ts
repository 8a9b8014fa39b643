/** Codes of failed file operations. Threads load this and nothing else of the product, so that each of them stays small. */
import type { ThreadFailure } from '../small-files/batch-threads.js';

/** `ENOENT`, `EISDIR`, … of a failed file operation. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** An error as a thread reports it. */
export function failureOf(error: unknown): ThreadFailure {
  return { message: error instanceof Error ? error.message : String(error), code: codeOf(error) };
}

/** Codes that say that no such file exists, or that none can exist. */
export const missing = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ELOOP'] as const;

/** What a rename answers when another object's path is in the way, or the name is too long. */
export const cannotHold = ['ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY', 'ENAMETOOLONG'] as const;
