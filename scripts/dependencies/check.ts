/**
 * Checks that every import is declared, goes down and stays within what the other package offers, that no files import one
 * another in a circle, that nothing is exported that no other file needs, that every hook is called and tapped, that no
 * regular expression can be made slow, that the streams of files have listeners for their errors, that bounds of memory
 * are tested and listed, and that tests do not wait for fixed times.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../source-files.js';
import { judgeBounds } from './bounds.js';
import { judgeFileCycles } from './file-cycles.js';
import { judgeImport, packageNameOf } from './import-rules.js';
import { judgeHooks } from './hook-use.js';
import { importsOf } from './imports.js';
import { judgeCycles, judgeReferences, judgeToolReferences } from './manifest-rules.js';
import { readPackages, readSharedTools, readTools } from './package-facts.js';
import { judgeRegularExpressions } from './regular-expressions.js';
import { judgeSleeps } from './sleeps.js';
import { judgeStreamErrors } from './stream-errors.js';
import { judgeUnusedExports } from './unused-exports.js';
import type { ImportSite } from './import-rules.js';
import type { PackageFacts } from './package-facts.js';
import type { Source } from './unused-exports.js';

/** @returns one `file:line: what is wrong` per violation, files relative to `root`. */
export function checkDependencies(root: string): string[] {
  const packages = new Map(readPackages(root).map(facts => [facts.name, facts]));
  // The workspace's own packages are not tools: each package declares which of them its tests need.
  const sharedTools = new Set([...readSharedTools(root)].filter(name => !packages.has(name)));
  const all = [...packages.values(), ...readTools(root)].map(facts => ({ facts, sources: readSources(root, facts) }));
  const violations = all.flatMap(({ facts, sources }) => {
    const { wrong, imported } = judgeSources(facts, sources, { packages, sharedTools });
    return [...(facts.layer === 'tools' ? judgeToolReferences(facts, imported) : judgeReferences(facts, packages)), ...wrong];
  });
  const sources = all.flatMap(({ sources: own }) => own);
  return [
    ...violations,
    ...judgeCycles(packages),
    ...judgeUnusedExports(sources, packages),
    ...judgeHooks(sources),
    ...judgeRegularExpressions(sources),
    ...judgeStreamErrors(sources),
    ...judgeSleeps(sources),
    ...judgeBounds(sources, folder => textOf(join(root, folder, 'README.md'))),
  ];
}

/** Every source of the workspace. */
export function readAllSources(root: string): Source[] {
  return [...readPackages(root), ...readTools(root)].flatMap(facts => readSources(root, facts));
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function readSources(root: string, from: PackageFacts): Source[] {
  return sourceFiles(join(root, from.folder)).map(file => {
    const text = readFileSync(join(root, from.folder, file), 'utf8');
    return { from, file, text, imports: importsOf(text) };
  });
}

function judgeSources(facts: PackageFacts, sources: readonly Source[], surroundings: Pick<ImportSite, 'packages' | 'sharedTools'>) {
  const imported = new Set<PackageFacts>();
  const specifiers = new Map<string, string[]>();
  const wrong = sources.flatMap(({ file, imports }) =>
    imports.flatMap(({ specifier, line, typesOnly }) => {
      const target = surroundings.packages.get(packageNameOf(specifier));
      if (target) imported.add(target);
      if (specifier.startsWith('.')) specifiers.set(file, [...(specifiers.get(file) ?? []), specifier]);
      const verdict = judgeImport({ from: facts, file, specifier, typesOnly, ...surroundings });
      return verdict === undefined ? [] : [`${facts.folder}/${file}:${line}: ${verdict}`];
    }),
  );
  return { wrong: [...wrong, ...judgeFileCycles(facts, specifiers)], imported };
}
