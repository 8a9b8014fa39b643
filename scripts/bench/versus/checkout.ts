/** Another state of this repository, built in a folder of its own. */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../../repository-root.js';

const run = promisify(execFile);

/**
 * @param given folder of a built checkout, which is used as it is, or a commit of this repository.
 * @param folder where a commit is built.
 * @returns the folder of the built checkout.
 */
export async function checkedOut(given: string, folder: string): Promise<string> {
  const there = resolve(given);
  if (await stat(join(there, 'cli', 'bin', 'srv.js')).catch(() => undefined)) return there;
  const commit = await run('git', ['-C', repositoryRoot, 'rev-parse', '--verify', `${given}^{commit}`]).catch(() => undefined);
  if (!commit) throw new Error(`${given} is neither the folder of a checkout nor a commit of this repository`);
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', repositoryRoot, folder]);
  await run('git', ['-C', folder, 'checkout', '--quiet', commit.stdout.trim()]);
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
  await run('npx', ['tsc', '-b'], { cwd: folder });
  return folder;
}
