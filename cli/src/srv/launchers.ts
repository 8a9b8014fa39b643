/** Programs in the data folder that call this release's, from whatever folder they are typed in. */
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packageFolder } from '../places.js';
import { shellWord } from './shell-word.js';
import type { LocalSettings } from '@srv/config/contract';
import type { ServerAddress } from './server-address.js';

/** @returns where `cli` of an installation is. */
export function launcherOf(folder: string): string {
  return join(folder, 'bin', 'cli');
}

/** Notes the address of the server for the programs of this machine, and rewrites the two that start them. */
export function describeLocally(local: LocalSettings | undefined, address: ServerAddress | undefined): void {
  if (!local) return;
  if (address) local.setEndpoint(address.url);
  writeLaunchers(local, address?.certificate?.file);
}

/** Rewrites `bin/cli` and `bin/srv` of an installation: Node.js or this package may have moved. */
function writeLaunchers({ folder, cliFile }: Pick<LocalSettings, 'folder' | 'cliFile'>, certificateFile: string | undefined): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  // A server that has a certificate of its own making is trusted without more ado.
  const trusted = certificateFile === undefined ? {} : { NODE_EXTRA_CA_CERTS: resolve(certificateFile) };
  write(launcherOf(folder), 'cli.js', { CLI_CONFIG_FILE: cliFile, ...trusted });
  write(join(folder, 'bin', 'srv'), 'srv.js', { SRV_DATABASE_LOCAL_PATH: join(folder, 'metadata') });
}

/** One that runs meanwhile sees the old file or the new one. @param variables those that the environment does not set. */
function write(file: string, program: string, variables: Readonly<Record<string, string>>): void {
  const lines = [
    '#!/bin/sh',
    '# Written by "srv run" at each start.',
    ...Object.entries(variables).flatMap(([name, value]) => [`[ -n "$${name}" ] || ${name}=${shellWord(value)}`, `export ${name}`]),
    `exec ${shellWord(process.execPath)} ${shellWord(join(packageFolder, 'bin', program))} "$@"`,
  ];
  const fresh = `${file}.new`;
  writeFileSync(fresh, `${lines.join('\n')}\n`);
  chmodSync(fresh, 0o755);
  renameSync(fresh, file);
}
