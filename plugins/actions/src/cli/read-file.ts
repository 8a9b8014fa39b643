/** Action files as commands get them. */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { CommandContext } from '@srv/lib-commands';

/** @param file name, or `-` for `input`. @throws Error when it cannot be read. */
export function readActionFile(file: string, input: CommandContext['input']): Promise<string> {
  return file === '-' ? text(input) : readFile(file, 'utf8');
}
