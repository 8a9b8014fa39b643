/**
 * Runs the script `bundle` of every package that has one, all at the same time: `node scripts/dist/bundle.js`. Each does
 * nothing when it is up to date.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './repository-root.js';
import { packageFolders } from './workspace-folders.js';

const programs = packageFolders(repositoryRoot).flatMap(folder => {
  const manifest = join(repositoryRoot, folder, 'package.json');
  if (!existsSync(manifest)) return [];
  const { scripts = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as { scripts?: { readonly bundle?: string } };
  const [, file] = /^node (\S+)$/.exec(scripts.bundle ?? '') ?? [];
  return file === undefined ? [] : [{ folder, file }];
});

const codes = await Promise.all(
  programs.map(({ folder, file }) => {
    const child = spawn(process.execPath, [file], { cwd: join(repositoryRoot, folder), stdio: 'inherit' });
    return new Promise<number>(resolve => child.on('close', code => resolve(code ?? 1)));
  }),
);
const failed = programs.filter((_, i) => codes[i] !== 0).map(({ folder }) => folder);
if (failed.length > 0) {
  process.stderr.write(`not bundled: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
