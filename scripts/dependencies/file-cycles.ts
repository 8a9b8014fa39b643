/** Circles of imports inside one package, of values and of types alike: files in a circle cannot be understood one at a time. */
import { posix } from 'node:path';
import { findCycles } from './cycles.js';
import type { PackageFacts } from './package-facts.js';

/**
 * @param specifiers file of the package → the relative specifiers it imports.
 * @returns one line per circle, each file named relative to the package.
 */
export function judgeFileCycles({ folder }: PackageFacts, specifiers: ReadonlyMap<string, readonly string[]>): string[] {
  const edges = new Map(
    [...specifiers].map(([file, names]) => [file, [...new Set(names)].flatMap(name => sourcesOf(file, name)).filter(has(specifiers))]),
  );
  return findCycles(edges).map(
    ([first = '', ...rest]) => `${folder}/${first}: files import one another in a circle: ${[first, ...rest].join(' -> ')}`,
  );
}

/** Only files that import something can be part of a circle. */
const has =
  (files: ReadonlyMap<string, unknown>) =>
  (file: string): boolean =>
    files.has(file);

/** `./name.js` is compiled from `name.ts` or `name.tsx`. */
function sourcesOf(file: string, specifier: string): string[] {
  const path = posix.join(posix.dirname(file), specifier).replace(/\.js$/, '');
  return [`${path}.ts`, `${path}.tsx`];
}
