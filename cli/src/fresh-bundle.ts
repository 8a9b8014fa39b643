/** The bundles of the programs, as long as nothing was compiled after them. Imported first: it needs nothing but Node.js. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packageFolder } from './places.js';

export type Program = 'cli' | 'srv';

export const factsFile = 'facts.json';

export interface BundleFacts {
  /** What the compiler had written last, by file as seen from this package, when the bundle was made. */
  readonly stamps: Readonly<Record<string, number>>;
}

/** As deep in the package as compiled files, so that what they find from their place is found from a bundle, too. */
export function bundleFolder(program: Program): string {
  return join(packageFolder, 'dist', `bundle-${program}`);
}

/** @returns its main file; `undefined`: it does not exist, or is older than its sources. */
export function freshBundle(program: Program): string | undefined {
  const folder = bundleFolder(program);
  try {
    const { stamps } = JSON.parse(readFileSync(join(folder, factsFile), 'utf8')) as BundleFacts;
    const files = Object.keys(stamps);
    const isTrue = files.every(file => stampOf(file) === stamps[file]) || files.every(isInstalled);
    return isTrue ? join(folder, 'main.js') : undefined;
  } catch {
    return undefined;
  }
}

/** An installation has the packages, without the compiler's files. */
function isInstalled(file: string): boolean {
  const name = basename(join(packageFolder, file, '..', '..'));
  return stampOf(file) === 0 && existsSync(join(packageFolder, '..', name, 'package.json'));
}

/** Milliseconds since 1970; 0: the file does not exist. @param file as seen from this package. */
export function stampOf(file: string): number {
  return statSync(join(packageFolder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
