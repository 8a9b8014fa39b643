/** Programs in the data folder that call this release's, from whatever folder they are typed in. */
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../places.js';
import { shellWord } from './shell-word.js';
import type { LocalSettings } from '@srv/config/contract';

/** @returns where `cli` of an installation is. */
export function launcherOf(folder: string): string {
  return join(folder, 'bin', 'cli');
}

/** Notes the address of the server for the programs of this machine, and rewrites the two that start them. */
export function describeLocally(local: LocalSettings | undefined, url: string | undefined): void {
  if (!local) return;
  if (url !== undefined) local.setEndpoint(url);
  writeLaunchers(local);
}

/** Rewrites `bin/cli` and `bin/srv` of an installation: Node.js or this package may have moved. */
function writeLaunchers({ folder, cliFile }: Pick<LocalSettings, 'folder' | 'cliFile'>): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  write(launcherOf(folder), 'cli.js', 'CLI_CONFIG_FILE', cliFile);
  write(join(folder, 'bin', 'srv'), 'srv.js', 'SRV_DATABASE_LOCAL_PATH', join(folder, 'metadata'));
}

/** One that runs meanwhile sees the old file or the new one. */
function write(file: string, program: string, variable: string, value: string): void {
  const lines = [
    '#!/bin/sh',
    '# Written by "srv run" at each start.',
    `[ -n "$${variable}" ] || ${variable}=${shellWord(value)}`,
    `export ${variable}`,
    `exec ${shellWord(process.execPath)} ${shellWord(join(packageFolder, 'bin', program))} "$@"`,
  ];
  const fresh = `${file}.new`;
  writeFileSync(fresh, `${lines.join('\n')}\n`);
  chmodSync(fresh, 0o755);
  renameSync(fresh, file);
}
