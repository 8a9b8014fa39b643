/** Finds linked directories. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@srv/kernel';
import { readIndex } from './index-file.js';
import type { FoundIndex } from './index-file.js';

/**
 * Below and including `folder`; hidden folders are left out, and nothing is looked for below a linked one.
 * @param warn receives a message for each directory that cannot be read.
 */
export async function* findLinked(folder: string, warn: (line: string) => void): AsyncGenerator<FoundIndex> {
  try {
    const found = await readIndex(folder);
    if (found) {
      yield found;
      return;
    }
  } catch (error) {
    warn(messageOf(error));
    return;
  }
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    warn(messageOf(error));
    return [];
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1)))
    if (entry.isDirectory() && !entry.name.startsWith('.')) yield* findLinked(join(folder, entry.name), warn);
}
