/** Packages that are not installed with srv. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * @param name of the package
 * @param folder where it was installed, of a setting; absent: where the module `from` is.
 * @returns URL of the module; `undefined` where it is not installed.
 */
export function optionalPackage(name: string, folder: string | undefined, from: string): string | undefined {
  try {
    return pathToFileURL(createRequire(folder === undefined ? from : join(folder, 'any.js')).resolve(name)).href;
  } catch {
    return undefined;
  }
}
