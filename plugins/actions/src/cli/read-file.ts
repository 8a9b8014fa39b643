/** Action files as commands get them. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

/** @param file name, or `-` for standard input. @throws Error when it cannot be read. */
export function readActionFile(file: string): Promise<string> {
  return file === '-' ? text(process.stdin) : readFile(file, 'utf8');
}
