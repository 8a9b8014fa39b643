/** Rules about the manifests: references of the compiler, circles between packages. */
import { findCycles } from './cycles.js';
import type { PackageFacts } from './package-facts.js';

/** tsconfig.json must refer to exactly the packages of the workspace that package.json declares. */
export function judgeReferences(facts: PackageFacts, packages: ReadonlyMap<string, PackageFacts>): string[] {
  const declared = [...facts.dependencies, ...facts.devDependencies].flatMap(name => packages.get(name)?.folder ?? []);
  const file = `${facts.folder}/tsconfig.json:1`;
  return [
    ...declared
      .filter(folder => !facts.references.includes(folder))
      .map(folder => `${file}: "references" lacks ${folder}, which package.json declares`),
    ...facts.references
      // A part of the package with compiler settings of its own.
      .filter(folder => !declared.includes(folder) && !folder.startsWith(`${facts.folder}/`))
      .map(folder => `${file}: "references" names ${folder}, which package.json does not declare`),
  ];
}

/** The root package declares none of the workspace's packages; what its folders import must be built before. */
export function judgeToolReferences(facts: PackageFacts, imported: ReadonlySet<PackageFacts>): string[] {
  return [...imported]
    .filter(({ folder }) => !facts.references.includes(folder))
    .map(({ folder }) => `${facts.folder}/tsconfig.json:1: "references" lacks ${folder}, which is imported`);
}

export function judgeCycles(packages: ReadonlyMap<string, PackageFacts>): string[] {
  const edges = new Map(
    [...packages.values()].map(p => [p.name, [...p.dependencies, ...p.devDependencies].filter(name => packages.has(name))]),
  );
  return findCycles(edges).map(cycle => {
    const first = packages.get(cycle[0] ?? '');
    return `${first?.folder ?? ''}/package.json:1: packages depend on one another in a circle: ${cycle.join(' -> ')}`;
  });
}
