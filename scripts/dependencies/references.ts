/** The compiler's references between projects, derived from what package.json declares and what sources import. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { importTarget } from './import-target.js';
import type { PackageFacts } from './package-facts.js';
import type { Workspace } from './source.js';

const skipped = new Set(['dist', 'node_modules']);

/** One `tsconfig.json`. */
export interface ProjectReferences {
  /** Relative to the repository; `''` is the root. */
  readonly folder: string;
  /** Relative to `folder`, in the order in which they are written. */
  readonly paths: readonly string[];
}

/**
 * What `references` of every `tsconfig.json` must be:
 * - of the root: all packages and folders of tools;
 * - of a package: the packages it declares, the projects it imports, and the projects inside it that do not import it;
 * - of a project inside a package, and of a folder of tools: the projects it imports.
 */
export function wantedReferences(root: string, { packages, tools, sources }: Workspace): ProjectReferences[] {
  const owners = [...packages, ...tools];
  const folders = owners.flatMap(({ folder }) => projectFolders(root, folder));
  const projects = new Set(folders);
  const byName = new Map(packages.map(facts => [facts.name, facts]));
  const imported = new Map(folders.map(folder => [folder, new Set<string>()]));
  for (const { from, file, imports } of sources) {
    const path = posix.join(from.folder, file);
    const project = projectOf(path, projects);
    for (const { specifier } of imports) {
      const target = importTarget(specifier, path, from, byName);
      const other = target && projectOf(target, projects);
      if (other && other !== project) imported.get(project ?? '')?.add(other);
    }
  }
  const declared = (facts: PackageFacts): string[] =>
    tools.includes(facts) ? [] : [...facts.dependencies, ...facts.devDependencies].flatMap(name => byName.get(name)?.folder ?? []);
  const ofOwner = (facts: PackageFacts): ReadonlySet<string> => {
    const inside = folders.filter(folder => folder.startsWith(`${facts.folder}/`) && !packages.some(other => other.folder === folder));
    return new Set([
      ...(imported.get(facts.folder) ?? []),
      ...declared(facts),
      ...inside.filter(folder => !imported.get(folder)?.has(facts.folder)),
    ]);
  };
  const relative = (from: string, to: Iterable<string>): ProjectReferences => ({
    folder: from,
    paths: [...to]
      .filter(folder => folder !== from)
      .map(folder => posix.relative(from, folder))
      .sort(),
  });
  return [
    { folder: '', paths: owners.map(({ folder }) => folder) },
    ...folders.map(folder => {
      const owner = owners.find(facts => facts.folder === folder);
      return relative(folder, owner ? ofOwner(owner) : (imported.get(folder) ?? []));
    }),
  ];
}

/** @returns one line per `tsconfig.json` whose references are not those wanted. */
export function judgeReferences(root: string, wanted: readonly ProjectReferences[]): string[] {
  return wanted
    .filter(project => readReferences(root, project.folder).join() !== project.paths.join())
    .map(
      ({ folder }) =>
        `${posix.join(folder, 'tsconfig.json')}:1: "references" are not those of package.json and the imports: run node scripts/dist/references.js`,
    );
}

export function withReferences(text: string, paths: readonly string[]): string {
  const list = JSON.stringify(
    paths.map(path => ({ path })),
    undefined,
    2,
  ).replaceAll('\n', '\n  ');
  const member = /"references": \[[^\]]*\]/;
  if (paths.length === 0) return text.replace(new RegExp(`,\\s*${member.source}`), '');
  return member.test(text) ? text.replace(member, `"references": ${list}`) : text.replace(/\s*\}\s*$/, `,\n  "references": ${list}\n}\n`);
}

function readReferences(root: string, folder: string): string[] {
  const { references = [] } = JSON.parse(readFileSync(join(root, folder, 'tsconfig.json'), 'utf8')) as {
    references?: readonly { readonly path: string }[];
  };
  return references.map(({ path }) => path);
}

/** The folder itself and the folders below it that have a `tsconfig.json`; packages inside it are left out. */
function projectFolders(root: string, folder: string): string[] {
  const own = existsSync(join(root, folder, 'tsconfig.json')) ? [folder] : [];
  const below = readdirSync(join(root, folder), { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !skipped.has(entry.name) && !existsSync(join(root, folder, entry.name, 'package.json')))
    .flatMap(entry => projectFolders(root, `${folder}/${entry.name}`));
  return [...own, ...below];
}

/** The nearest folder above a file that is a project. */
function projectOf(path: string, projects: ReadonlySet<string>): string | undefined {
  for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder)) if (projects.has(folder)) return folder;
  return undefined;
}
