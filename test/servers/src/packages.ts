/**
 * Servers of other authors. They are not installed with the workspace, but in a folder of their own when a test needs them:
 * `npm run test:servers`.
 */
import { fileURLToPath } from 'node:url';

interface Loader {
  load(name: string): Promise<unknown>;
  resolve(name: string): string;
}

const loader = (await import(new URL('../../packages/load.js', import.meta.url).href)) as Loader;

/**
 * Imports an installed package.
 * @param name one of `packages/package.json`
 * @returns its exports, which the caller knows.
 * @throws Error that says how to install it
 */
export async function loadPackage<Exports>(name: string): Promise<Exports> {
  try {
    return (await loader.load(name)) as Exports;
  } catch (error) {
    throw missing(name, error);
  }
}

/** @param path a file of an installed package. @returns its URL. @throws Error that says how to install it */
export function packageFile(path: string): string {
  try {
    return loader.resolve(path);
  } catch (error) {
    throw missing(path, error);
  }
}

/** @returns folder whose `node_modules` has an installed package. @throws Error that says how to install it */
export function installedIn(name: string): string {
  const [folder = ''] = fileURLToPath(packageFile(name)).split('/node_modules/');
  return folder;
}

function missing(name: string, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return error;
  return new Error(`${name} is not installed: npm run test:servers installs the test servers`, { cause: error });
}
