/** Settings from a file. */
import { buffer } from 'node:stream/consumers';
import { messageOf } from '@srv/kernel';
import { readNamed } from '@srv/lib-commands';
import type { CommandContext } from '@srv/lib-commands';

/** @param file `-` is standard input. The server checks the members. */
export async function readJson<T>(file: string, { input }: Pick<CommandContext, 'input'>): Promise<T> {
  const bytes = file === '-' ? await buffer(input) : await readNamed(file);
  try {
    return JSON.parse(bytes.toString('utf8')) as T;
  } catch (error) {
    throw new Error(`${file} is not JSON: ${messageOf(error)}`, { cause: error });
  }
}
