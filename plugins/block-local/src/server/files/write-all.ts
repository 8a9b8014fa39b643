import type { FileHandle } from 'node:fs/promises';

/** Writes buffers one after the other from a position on. @param length bytes of all. */
export async function writeAll(file: FileHandle, buffers: readonly Buffer[], length: number, position: number): Promise<void> {
  const { bytesWritten } = await file.writev(buffers, position);
  // The system may take less than it is given.
  if (bytesWritten >= length) return;
  const rest = Buffer.concat(buffers).subarray(bytesWritten);
  await writeAll(file, [rest], rest.length, position + bytesWritten);
}
