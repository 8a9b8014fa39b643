/** Checks that every import is declared, goes down, stays within what the other package offers, and that no files import one another. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../source-files.js';
import { judgeFileCycles } from './file-cycles.js';
import { judgeImport, packageNameOf } from './import-rules.js';
import { importsOf } from './imports.js';
import { judgeCycles, judgeReferences, judgeToolReferences } from './manifest-rules.js';
import { readPackages, readSharedTools, readTools } from './package-facts.js';
import type { ImportSite } from './import-rules.js';
import type { PackageFacts } from './package-facts.js';

/** @returns one `file:line: what is wrong` per violation, files relative to `root`. */
export function checkDependencies(root: string): string[] {
  const packages = new Map(readPackages(root).map(facts => [facts.name, facts]));
  // The workspace's own packages are no tools: each package declares which of them its tests need.
  const sharedTools = new Set([...readSharedTools(root)].filter(name => !packages.has(name)));
  const violations: string[] = [];
  for (const facts of [...packages.values(), ...readTools(root)]) {
    const { wrong, imported } = judgeSources(root, facts, { packages, sharedTools });
    violations.push(...(facts.storey === 'tools' ? judgeToolReferences(facts, imported) : judgeReferences(facts, packages)), ...wrong);
  }
  return [...violations, ...judgeCycles(packages)];
}

function judgeSources(root: string, facts: PackageFacts, surroundings: Pick<ImportSite, 'packages' | 'sharedTools'>) {
  const imported = new Set<PackageFacts>();
  const specifiers = new Map<string, string[]>();
  const wrong = sourceFiles(join(root, facts.folder)).flatMap(file =>
    importsOf(readFileSync(join(root, facts.folder, file), 'utf8')).flatMap(({ specifier, line, typesOnly }) => {
      const target = surroundings.packages.get(packageNameOf(specifier));
      if (target) imported.add(target);
      if (specifier.startsWith('.')) specifiers.set(file, [...(specifiers.get(file) ?? []), specifier]);
      const verdict = judgeImport({ from: facts, file, specifier, typesOnly, ...surroundings });
      return verdict === undefined ? [] : [`${facts.folder}/${file}:${line}: ${verdict}`];
    }),
  );
  return { wrong: [...wrong, ...judgeFileCycles(facts, specifiers)], imported };
}
