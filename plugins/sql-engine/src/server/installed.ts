/** Where the engine is installed. It is 70 MB, and not installed with srv. */
import { optionalPackage } from '@srv/lib-api/optional-package';

const packageName = '@duckdb/node-api';
/** Tested; with one that lacks a setting that keeps queries from files, every query fails. */
const version = '1.5.6-r.1';

/** @param folder of the setting; absent: that of this plugin. @returns URL of the module; `undefined` where it is not installed. */
export const installedModule = (folder: string | undefined): string | undefined => optionalPackage(packageName, folder, import.meta.url);

export const installAdvice = `SQL on the server needs DuckDB, which is not installed: run \`npm install ${packageName}@${version}\` where srv is installed, or set sql_engine.installed_in to the folder where it was run`;
