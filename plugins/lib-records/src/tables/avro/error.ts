/** An Avro file that cannot be read, in words that follow its name. */
export class AvroError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'AvroError';
  }
}

/** Names the file in the errors of reading it. */
export async function namingFile<T>(address: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AvroError) throw new AvroError(`${address} cannot be read: ${error.message}`, { cause: error });
    throw error;
  }
}
