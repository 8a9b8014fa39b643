/** Packs every package that is meant for others. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../repository-root.js';
import { packageFolders } from '../workspace-folders.js';
import { lockInstallation } from './lock.js';
import type { LockedPackages, PackedPackage } from './lock.js';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readJson = <T>(file: string): T => JSON.parse(readFileSync(file, 'utf8')) as T;

/**
 * Writes an installation that `npm ci` completes: `packages/*.tgz`, `package.json` and `package-lock.json`.
 * @returns names of the packages.
 */
export async function packInstallation(folder: string, name = 'srv-installation'): Promise<readonly string[]> {
  const packages = join(folder, 'packages');
  mkdirSync(packages, { recursive: true });
  const folders = packageFolders(repositoryRoot).filter(
    each => readJson<Manifest>(join(repositoryRoot, each, 'package.json')).private !== true,
  );
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', packages, ...folders.flatMap(each => ['-w', each])];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: repositoryRoot, maxBuffer: 1 << 26 });
  const told = JSON.parse(stdout) as Readonly<Record<string, { readonly filename: string }>> | readonly { readonly filename: string }[];
  const files = Object.values(told).map(({ filename }) => filename);
  const packed = folders.map((each): PackedPackage => {
    const { name: package_, version, bin, dependencies = {} } = readJson<Manifest>(join(repositoryRoot, each, 'package.json'));
    const file = `${package_.replace('@', '').replace('/', '-')}-${version}.tgz`;
    if (!files.includes(file)) throw new Error(`npm pack made no ${file}`);
    const integrity = `sha512-${createHash('sha512')
      .update(readFileSync(join(packages, file)))
      .digest('base64')}`;
    return { name: package_, version, file: `packages/${file}`, integrity, dependencies, bin };
  });
  const workspace = readJson<{ readonly packages: LockedPackages }>(join(repositoryRoot, 'package-lock.json'));
  // Without the same replacements npm refuses the lock file.
  const { allowScripts, overrides } = readJson<{ readonly allowScripts: object; readonly overrides: object }>(
    join(repositoryRoot, 'package.json'),
  );
  const locked = lockInstallation(name, packed, workspace.packages);
  const { dependencies } = locked[''] ?? {};
  writeJson(join(folder, 'package.json'), { name, private: true, type: 'module', dependencies, allowScripts, overrides });
  writeJson(join(folder, 'package-lock.json'), { name, lockfileVersion: 3, requires: true, packages: locked });
  return packed.map(each => each.name);
}

function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
