/** Catalog export scripts, which scripts `require`; they are Lua themselves. */
import { readFileSync } from 'node:fs';

const names = ['delta_exporter', 'glue_exporter', 'hive', 'internal', 'symlink_exporter', 'table_extractor', 'unity_exporter'];

/** Source by name below `lakefs/catalogexport/`. */
export const exportScripts: Readonly<Record<string, string>> = Object.fromEntries(
  names.map(name => [name, readFileSync(new URL(`../../../lua/catalogexport/${name}.lua`, import.meta.url), 'latin1')]),
);
