/** Copies of repositories under another name. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogServer } from './server.js';

/** `copy`, a copy of `lake` as an operator makes it: refs are dumped, the storage namespace is copied, refs are restored. */
export async function copyRepository({ engine, home }: CatalogServer): Promise<void> {
  const dump = await engine.dumpRefs('lake');
  await cp(join(home, 'block', 'lake'), join(home, 'block', 'copy'), { recursive: true });
  await engine.createRepository({ id: 'copy', storageNamespace: 'local://copy', bare: true });
  await engine.restoreRefs('copy', dump);
}
