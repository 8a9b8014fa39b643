/** Action files as commands get them. */
import { text } from 'node:stream/consumers';
import { readNamed } from '@srv/lib-commands';
import type { CommandContext } from '@srv/lib-commands';

/** @param file name, or `-` for `input`. @throws Error when it cannot be read. */
export async function readActionFile(file: string, input: CommandContext['input']): Promise<string> {
  return file === '-' ? text(input) : (await readNamed(file)).toString('utf8');
}
