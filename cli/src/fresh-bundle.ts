/** The bundle of `cli`, as long as nothing was compiled after it. Imported first: it needs nothing but Node.js. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from './places.js';

export const bundleFolder = join(packageFolder, 'dist', 'bundle');
export const factsFile = 'facts.json';

export interface BundleFacts {
  /** What the compiler had written last, by file, when the bundle was made. */
  readonly stamps: Readonly<Record<string, number>>;
}

/** @returns its main file; `undefined`: it does not exist, or is older than its sources. */
export function freshBundle(): string | undefined {
  try {
    const { stamps } = JSON.parse(readFileSync(join(bundleFolder, factsFile), 'utf8')) as BundleFacts;
    const isTrue = Object.entries(stamps).every(([file, stamp]) => {
      const now = stampOf(file);
      // An installed package comes without the compiler's files.
      return now === 0 || now === stamp;
    });
    return isTrue ? join(bundleFolder, 'main.js') : undefined;
  } catch {
    return undefined;
  }
}

/** Milliseconds since 1970; 0: the file does not exist. */
export function stampOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
