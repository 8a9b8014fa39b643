/** How modules of plugins are loaded. */
import { pathToFileURL } from 'node:url';
import { bundledModule, isOwnFile } from './bundled-modules.js';
import { offerRunningPackages } from './running-packages.js';

/** Loads a module of a plugin, by its absolute file name. */
export async function importModule(file: string): Promise<unknown> {
  const running = await bundledModule(file);
  if (running !== undefined) return running;
  if (!isOwnFile(file)) await offerRunningPackages();
  return import(pathToFileURL(file).href);
}
