/** Where the engine is installed. It is 70 MB, and not installed with srv. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const packageName = '@duckdb/node-api';
/** Tested; with one that lacks a setting that keeps queries from files, every query fails. */
const version = '1.5.6-r.1';

/** @param folder of the setting; absent: that of this plugin. @returns URL of the module; `undefined` where it is not installed. */
export function installedModule(folder: string | undefined): string | undefined {
  try {
    const from = folder === undefined ? import.meta.url : join(folder, 'any.js');
    return pathToFileURL(createRequire(from).resolve(packageName)).href;
  } catch {
    return undefined;
  }
}

export const installAdvice = `SQL on the server needs DuckDB, which is not installed: run \`npm install ${packageName}@${version}\` where srv is installed, or set sql_engine.installed_in to the folder where it was run`;
