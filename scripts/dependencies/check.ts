/**
 * Checks what no linter does: that every import is declared, goes down and stays within what the other package offers, that
 * the compiler's references follow from that, that every hook is called and tapped, that no regular expression can be made
 * slow, that the streams of files have listeners for their errors, that no object literal has a getter, that bounds of memory
 * are tested and listed, that threads load little, and that tests do not wait for fixed times. `npm run lint` finds unused code and circles of files; the
 * compiler, which reads the references, finds circles of packages.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../source-files.js';
import { judgeBounds } from './bounds.js';
import { judgeHooks } from './hook-use.js';
import { judgeImport } from './import-rules.js';
import { importsOf } from './imports.js';
import { judgeLiteralAccessors } from './literal-accessors.js';
import { readPackages, readSharedTools, readTools } from './package-facts.js';
import { judgeReferences, wantedReferences } from './references.js';
import { judgeRegularExpressions } from './regular-expressions.js';
import { judgeSleeps } from './sleeps.js';
import { judgeStreamErrors } from './stream-errors.js';
import { judgeThreads } from './threads.js';
import type { PackageFacts } from './package-facts.js';
import type { Source, Workspace } from './source.js';

/** @returns one `file:line: what is wrong` per violation, files relative to `root`. */
export function checkDependencies(root: string): string[] {
  const workspace = readWorkspace(root);
  const { sources } = workspace;
  const packages = new Map(workspace.packages.map(facts => [facts.name, facts]));
  // The workspace's own packages are not tools: each package declares which of them its tests need.
  const sharedTools = new Set([...readSharedTools(root)].filter(name => !packages.has(name)));
  return [
    ...judgeReferences(root, wantedReferences(root, workspace)),
    ...sources.flatMap(({ from, file, imports }) =>
      imports.flatMap(({ specifier, line, typesOnly }) => {
        const verdict = judgeImport({ from, file, specifier, typesOnly, packages, sharedTools });
        return verdict === undefined ? [] : [`${from.folder}/${file}:${line}: ${verdict}`];
      }),
    ),
    ...judgeHooks(sources),
    ...judgeRegularExpressions(sources),
    ...judgeStreamErrors(sources),
    ...judgeLiteralAccessors(sources),
    ...judgeSleeps(sources),
    ...judgeThreads(sources, packages),
    ...judgeBounds(sources, folder => textOf(join(root, folder, 'README.md'))),
  ];
}

export function readWorkspace(root: string): Workspace {
  const [packages, tools] = [readPackages(root), readTools(root)];
  return { packages, tools, sources: [...packages, ...tools].flatMap(facts => readSources(root, facts)) };
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
