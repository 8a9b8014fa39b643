/** An Arrow file that cannot be read, in words that follow its name. */
export class ArrowError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'ArrowError';
  }
}

/** @returns the error with the name of the file; errors of its source, such as of the network, unchanged. */
export function namedError(error: unknown): unknown {
  if (error instanceof RangeError) return new Error('this Arrow file is damaged: a part of it lies beyond its end', { cause: error });
  return error instanceof ArrowError ? new Error(`this Arrow file cannot be read: ${error.message}`, { cause: error }) : error;
}
