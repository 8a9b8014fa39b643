/** Circles between packages. */
import type { PackageFacts } from './package-facts.js';

export function judgeCycles(packages: ReadonlyMap<string, PackageFacts>): string[] {
  const edges = new Map(
    [...packages.values()].map(p => [p.name, [...p.dependencies, ...p.devDependencies].filter(name => packages.has(name))]),
  );
  return findCycles(edges).map(cycle => {
    const first = packages.get(cycle[0] ?? '');
    return `${first?.folder ?? ''}/package.json:1: packages depend on one another in a circle: ${cycle.join(' -> ')}`;
  });
}

/**
 * @param edges name → names it points to; names without an entry end the search.
 * @returns each circle once, its first name repeated at the end.
 */
function findCycles(edges: ReadonlyMap<string, Iterable<string>>): string[][] {
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (name: string, chain: readonly string[]): void => {
    const at = chain.indexOf(name);
    if (at >= 0) cycles.push([...chain.slice(at), name]);
    else if (!done.has(name)) {
      for (const next of edges.get(name) ?? []) visit(next, [...chain, name]);
      done.add(name);
    }
  };
  for (const name of edges.keys()) visit(name, []);
  return cycles;
}
