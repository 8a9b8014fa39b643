/** Compiles what was edited, as `npm test` does before its first test. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * @param changed files relative to the repository: the bundles of their packages are written again, too.
 * @param packages folders of the workspace's packages
 * @returns what the compiler complains of; `''` when everything was compiled.
 */
export function compile(root: string, changed: readonly string[], packages: readonly string[]): string {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const bundled = packages.filter(folder => hasBundle(join(root, folder)) && changed.some(path => isBundled(path, folder)));
  return [[process.execPath, compiler, '-b'], ...bundled.map(folder => ['npm', 'run', 'bundle', '--silent', '--workspace', folder])].reduce(
    (complaint, [program = '', ...args]) => (complaint === '' ? complaintOf(root, program, args) : complaint),
    '',
  );
}

function hasBundle(folder: string): boolean {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return false;
  const { scripts = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as { scripts?: Record<string, string> };
  return Object.hasOwn(scripts, 'bundle');
}

const isBundled = (path: string, folder: string): boolean => path.startsWith(`${folder}/`) && !path.startsWith(`${folder}/test/`);

function complaintOf(root: string, program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  if (status === 0) return '';
  return error ? `${program}: ${error.message}\n` : `${stdout}${stderr}`;
}
