/** What was changed in the working tree since a commit, and the tests that this concerns. */
import { execFileSync } from 'node:child_process';
import type { ImportGraph } from './import-graph.js';
import type { TestFile } from './test-files.js';

/** The branch that changes are compared with when no commit is named. */
export const mainBranch = 'main';

/**
 * Files that differ from where the working tree branched off, relative to the repository: committed since, changed, or new.
 * @throws Error that names the commit when it is unknown
 */
export function changedFiles(root: string, commit: string): string[] {
  const git = (...args: string[]): string[] => {
    const output = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 28 });
    return output.split('\0').filter(line => line !== '');
  };
  try {
    const base = git('merge-base', commit, 'HEAD').join('').trim();
    return [...git('diff', '--name-only', '--no-renames', '-z', base), ...git('ls-files', '--others', '--exclude-standard', '-z')];
  } catch (error) {
    const reason = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error);
    throw new Error(`--changed: git cannot compare with ${commit}: ${reason}; name a commit: npm test -- --changed HEAD~1`);
  }
}

/**
 * The test files that import a changed file, directly or not, and those in the package of a changed file: they also start it
 * as a plugin, which takes no import.
 * @param packages folders of the workspace's packages
 */
export function testsOf(
  files: readonly TestFile[],
  changed: readonly string[],
  graph: ImportGraph,
  packages: readonly string[],
): TestFile[] {
  const reached = graph.dependents(changed);
  const touched = packages.map(folder => `${folder}/`).filter(folder => changed.some(path => path.startsWith(folder)));
  return files.filter(({ source }) => reached.has(source) || touched.some(folder => source.startsWith(folder)));
}
