import type { FileHandle } from 'node:fs/promises';

/** Writes buffers at the end of what was written before. @param length bytes of all. */
export async function writeAll(file: FileHandle, buffers: readonly Buffer[], length: number): Promise<void> {
  const { bytesWritten } = await file.writev(buffers);
  // The system may take less than it is given.
  if (bytesWritten < length) await file.writeFile(Buffer.concat(buffers).subarray(bytesWritten));
}
