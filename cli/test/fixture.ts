/** Paths of this package, seen from the compiled tests. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const packageFolder = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

export function fixture(name: string): string {
  return join(packageFolder, 'test', 'fixtures', name);
}
