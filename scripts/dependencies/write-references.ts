import { readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { readWorkspace } from './check.js';
import { wantedReferences, withReferences } from './references.js';

/** Writes the `references` of every `tsconfig.json`. @returns the files that have changed. */
export function writeReferences(root: string): string[] {
  return wantedReferences(root, readWorkspace(root)).flatMap(({ folder, paths }) => {
    const file = posix.join(folder, 'tsconfig.json');
    const text = readFileSync(join(root, file), 'utf8');
    const written = withReferences(text, paths);
    if (written === text) return [];
    writeFileSync(join(root, file), written);
    return [file];
  });
}
