/** Files that users name. */
import { readFile } from 'node:fs/promises';

/** Reads a file. Its errors name it, also for a folder, which the system only finds once the file is open. */
export async function readNamed(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { path: file }) : error;
  }
}
