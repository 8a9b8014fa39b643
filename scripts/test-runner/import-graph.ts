/** Which sources import which, over the whole repository: what has to be tested after a change. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SyntaxKind } from 'typescript/unstable/ast';
import { importTarget } from '../dependencies/import-target.js';
import { importsOf } from '../dependencies/imports.js';
import { readPackages, readTools } from '../dependencies/package-facts.js';
import { tokensOf } from '../dependencies/tokens.js';
import { sourceFiles } from '../source-files.js';
import type { PackageFacts } from '../dependencies/package-facts.js';

export class ImportGraph {
  /** Source → sources that import it; paths relative to the repository. */
  readonly #importers = new Map<string, Set<string>>();
  readonly #sources: ReadonlySet<string>;
  readonly #packages: ReadonlyMap<string, PackageFacts>;

  private constructor(sources: ReadonlySet<string>, packages: ReadonlyMap<string, PackageFacts>) {
    this.#sources = sources;
    this.#packages = packages;
  }

  static read(root: string): ImportGraph {
    const packages = readPackages(root);
    const owned = [...packages, ...readTools(root)].flatMap(facts =>
      sourceFiles(join(root, facts.folder)).map(file => ({ facts, path: `${facts.folder}/${file}` })),
    );
    const graph = new ImportGraph(new Set(owned.map(({ path }) => path)), new Map(packages.map(facts => [facts.name, facts])));
    for (const { facts, path } of owned) {
      const text = readFileSync(join(root, path), 'utf8');
      for (const specifier of specifiersOf(text)) {
        const target = graph.#resolve(facts, path, specifier);
        if (target !== undefined) graph.#importersOf(target).add(path);
      }
    }
    return graph;
  }

  /** The given sources, and all that import one of them, directly or not. */
  dependents(changed: Iterable<string>): Set<string> {
    const found = new Set<string>();
    const open = [...changed];
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (found.has(path)) continue;
      found.add(path);
      open.push(...(this.#importers.get(path) ?? []));
    }
    return found;
  }

  #importersOf(target: string): Set<string> {
    const known = this.#importers.get(target);
    if (known) return known;
    const importers = new Set<string>();
    this.#importers.set(target, importers);
    return importers;
  }

  #resolve(from: PackageFacts, path: string, specifier: string): string | undefined {
    const target = importTarget(specifier, path, from, this.#packages);
    return target === undefined ? undefined : this.#source(target);
  }

  /** The source that a compiled file comes from. */
  #source(compiled: string): string | undefined {
    const base = compiled.replace(/\.js$/, '');
    return [`${base}.ts`, `${base}.tsx`].find(path => this.#sources.has(path));
  }
}

/** What a source imports, and files that it names in another way: those of threads and processes that it starts. */
function specifiersOf(text: string): Set<string> {
  const imports = importsOf(text);
  const named = tokensOf(text).filter(({ kind, value }) => kind === SyntaxKind.StringLiteral && /^\.{1,2}\/.*\.js$/.test(value));
  const specifiers = new Set(named.map(({ value }) => value));
  for (const { specifier, typesOnly } of imports) if (typesOnly) specifiers.delete(specifier);
  for (const { specifier, typesOnly } of imports) if (!typesOnly) specifiers.add(specifier);
  return specifiers;
}
