/** The packages of the test servers, which npm install leaves out: installed when a test needs them. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportGraph } from './import-graph.js';
import type { TestFile } from './test-files.js';

/** Relative to the repository. */
export const serverPackages = 'test/servers/packages';
/** What loads them. */
const loader = 'test/servers/src/packages.ts';
/** Copy of the lock file that the installed packages come from. */
const stamp = 'node_modules/.installed-lock.json';
/** Milliseconds between two lines that say that it is still going on. */
const progressMs = 10_000;
const lastLines = 5;

/** Those of the files that load the packages, directly or not. */
export function filesWithServers(files: readonly TestFile[], graph: ImportGraph): readonly TestFile[] {
  const dependents = graph.dependents([loader]);
  return files.filter(({ source }) => dependents.has(source));
}

/**
 * Installs what the lock file of a folder names, unless it is there.
 * @param print gets progress, in lines.
 * @returns why they are not there, as the end of `needs …`; `undefined`: they are.
 */
export async function installServerPackages(folder: string, print: (text: string) => void): Promise<string | undefined> {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  if (installedLock(folder) === lock) return undefined;
  const count = Object.keys((JSON.parse(lock) as { packages?: object }).packages ?? {}).length - 1;
  print(`installing the packages of the test servers into ${folder}: ${count}, once\n`);
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
  print(`the packages of the test servers cannot be installed, and tests that need them are skipped:\n${complaint}\n`);
  return 'the packages of the test servers: npm run test:servers installs them, over the network';
}

function installedLock(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, stamp), 'utf8');
  } catch {
    return undefined;
  }
}

/** @returns the last lines that npm printed when it failed. */
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
