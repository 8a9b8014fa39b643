/** Packages of others that not every clone needs: each group has a folder with a lock of its own, and is installed when it is used. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Copy of the lock file that the installed packages come from. */
const stamp = 'node_modules/.installed-lock.json';
/** Milliseconds between two lines that say that npm is still working. */
const progressMs = 10_000;
const lastLines = 5;

interface PackageGroup {
  /** What they are, in the plural. */
  readonly title: string;
  /** Of their `package.json` and `package-lock.json`; absolute. */
  readonly folder: string;
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/**
 * Installs what the lock file of a folder names, unless it is there.
 * @param print gets progress, in lines.
 * @returns why it is not there, in the words of npm; `undefined`: it is.
 */
export async function installPackages({ title, folder }: PackageGroup, print: (text: string) => void): Promise<string | undefined> {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  if (installedLock(folder) === lock) return undefined;
  const { packages } = JSON.parse(lock) as Lock;
  // Those that are optional belong to other platforms, but for a few; the first is the folder itself.
  const count = Object.values(packages).filter(({ optional }) => optional !== true).length - 1;
  print(`installing ${title} into ${folder}: ${count} packages, once\n`);
  const begin = performance.now();
  const seconds = (): string => `${Math.round((performance.now() - begin) / 1000)} s`;
  const ticking = setInterval(() => print(`  still installing after ${seconds()}\n`), progressMs);
  const complaint = await npmCi(folder);
  clearInterval(ticking);
  if (complaint === undefined) {
    writeFileSync(join(folder, stamp), lock);
    print(`installed after ${seconds()}\n`);
    return undefined;
  }
  print(`${title} cannot be installed:\n${complaint}\n`);
  return complaint;
}

function installedLock(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, stamp), 'utf8');
  } catch {
    return undefined;
  }
}

/** @returns the first lines that npm printed when it failed. */
function npmCi(folder: string): Promise<string | undefined> {
  // One attempt more, and soon: offline, npm would try for minutes.
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--loglevel=error'];
  // A shell finds npm on Windows, too.
  const child = spawn('npm', ['ci', ...options], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], shell: process.platform === 'win32' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise(resolve => {
    child.on('error', error => resolve(`  npm: ${error.message}`));
    child.on('close', code => {
      const lines = output.trim().split('\n').slice(0, lastLines);
      resolve(code === 0 ? undefined : lines.map(line => `  ${line}`).join('\n'));
    });
  });
}
