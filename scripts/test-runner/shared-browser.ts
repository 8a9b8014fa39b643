/** The browser that the test files of a run share: starting one takes longer than many of their tests. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { repositoryRoot } from '../repository-root.js';
import type { ImportGraph } from './import-graph.js';
import type { TestFile } from './test-files.js';

/** What starts browsers. */
const starter = 'test/servers/src/chromium.ts';
const program = join(repositoryRoot, 'test', 'servers', 'dist', 'src', 'shared-chromium.js');
/** Read by `starter`. */
const variable = 'SRV_TEST_BROWSER';

/**
 * Starts the browser when several of the files use one; they find it by a variable of the environment. Without one, each file
 * starts its own, or says what it needs.
 * @returns what ends it.
 */
export async function shareBrowser(files: readonly TestFile[], graph: ImportGraph): Promise<() => Promise<void>> {
  const nothing = (): Promise<void> => Promise.resolve();
  const dependents = graph.dependents([starter]);
  if (files.filter(({ source }) => dependents.has(source)).length < 2) return nothing;
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])) as [unknown];
  if (typeof line !== 'string') return nothing;
  process.env[variable] = line;
  return async () => {
    delete process.env[variable];
    child.stdin.end();
    await ended;
  };
}
