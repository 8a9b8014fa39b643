/** An engine that spills one file and then never answers. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '@srv/kernel/testing';

/** @returns the folder for `sql_engine.installed_in`. */
export function stalledEngine(): string {
  const folder = scratchFolder();
  const place = join(folder, 'node_modules/@duckdb/node-api');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: '@duckdb/node-api', type: 'module', main: 'index.js' }));
  writeFileSync(
    join(place, 'index.js'),
    `import { writeFileSync } from 'node:fs';
export const StatementType = { SELECT: 1 };
export const DuckDBInstance = {
  create(path, options) {
    writeFileSync(options.temp_directory + '/rows', 'spilled');
    return new Promise(() => setInterval(() => undefined, 1000));
  },
};
`,
  );
  return folder;
}

/** Folders of a process in `sql_engine.dir`. */
export function foldersOf(dir: string, pid: number): string[] {
  return readdirSync(dir).filter(name => name.split('-').at(-2) === String(pid));
}

export function isSpilling(dir: string, pid: number): boolean {
  return foldersOf(dir, pid).some(name => existsSync(join(dir, name, 'spill/rows')));
}
