/** Names that a file exports and no other file imports. */
import { posix } from 'node:path';
import { SyntaxKind } from 'typescript/unstable/ast';
import { packageNameOf } from './import-rules.js';
import { lineOf, listedNames, tokensOf } from './tokens.js';
import type { Import } from './imports.js';
import type { PackageFacts } from './package-facts.js';
import type { Token } from './tokens.js';

export interface Source {
  readonly from: PackageFacts;
  /** Relative to the package's folder, with `/`. */
  readonly file: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/** Modules that stand in for those of Node.js or Preact export what these do. */
const standIns = /\/without-(?:node|preact)\//;

/** Files that package.json offers to other packages are left out: who uses them may be anywhere. */
export function judgeUnusedExports(sources: readonly Source[], packages: ReadonlyMap<string, PackageFacts>): string[] {
  const used = new Set(
    sources.flatMap(({ from, file, imports }) =>
      imports.flatMap(({ specifier, names }) => {
        const target = targetOf(from, file, specifier, packages);
        return target === undefined ? [] : names.map(name => `${target}:${name}`);
      }),
    ),
  );
  return sources.flatMap(({ from, file, text }) => {
    const path = `${from.folder}/${file}`;
    const module = path.replace(/\.tsx?$/, '');
    if (from.offered.has(module) || standIns.test(path) || used.has(`${module}:*`)) return [];
    return exportedNames(tokensOf(text))
      .filter(({ value }) => !used.has(`${module}:${value}`))
      .map(name => `${path}:${lineOf(text, name)}: no other file imports ${name.value}: do not export it`);
  });
}

/** Files by their path from the repository, without ending; `undefined` where a package offers the file, or it is foreign. */
function targetOf(from: PackageFacts, file: string, specifier: string, packages: ReadonlyMap<string, PackageFacts>): string | undefined {
  const inside = specifier.startsWith('.');
  const target = inside ? from : packages.get(packageNameOf(specifier));
  if (target === undefined || (!inside && target.exports !== undefined)) return undefined;
  const path = inside ? posix.join(posix.dirname(file), specifier) : specifier.slice(target.name.length + 1).replace(/^dist\//, '');
  return posix.join(target.folder, path.replace(/\.js$/, ''));
}

const modifiers = new Set<SyntaxKind>([SyntaxKind.DeclareKeyword, SyntaxKind.AbstractKeyword, SyntaxKind.AsyncKeyword]);
const declarations = new Set<SyntaxKind>([
  SyntaxKind.FunctionKeyword,
  SyntaxKind.ClassKeyword,
  SyntaxKind.InterfaceKeyword,
  SyntaxKind.TypeKeyword,
  SyntaxKind.ConstKeyword,
  SyntaxKind.LetKeyword,
  SyntaxKind.EnumKeyword,
]);

/** The names themselves; `export * from` has none, and manifests may name the module of a default export. */
function exportedNames(tokens: readonly Token[]): Token[] {
  return tokens.flatMap(({ kind }, i) => {
    if (kind !== SyntaxKind.ExportKeyword) return [];
    const is = (at: number, kinds: ReadonlySet<SyntaxKind>): boolean => kinds.has(tokens[at]?.kind ?? SyntaxKind.Unknown);
    let at = i + 1;
    while (is(at, modifiers)) at++;
    const list = tokens[at]?.kind === SyntaxKind.TypeKeyword ? at + 1 : at;
    if (tokens[list]?.kind === SyntaxKind.OpenBraceToken)
      return listedNames(tokens, list).flatMap(({ last }) => (last.value === 'default' ? [] : last));
    if (!is(at, declarations)) return [];
    const name = tokens[at + (tokens[at + 1]?.kind === SyntaxKind.AsteriskToken ? 2 : 1)];
    return name === undefined ? [] : [name];
  });
}
