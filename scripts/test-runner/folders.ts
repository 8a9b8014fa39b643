/** Where test files write: temporary folders that go with the run, and compiled code that later files and runs use. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { usageVariable } from './usage.js';

const preload = new URL('./preload.js', import.meta.url).href;

/**
 * Sets up this process so that each test file that it starts has a temporary folder of its own.
 * @param root of the repository; code is compiled into its `node_modules`.
 */
export function prepareFolders(root: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'srv-'));
  // Some servers run as another user, in folders below.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  const usageFolder = join(folder, 'usage');
  mkdirSync(usageFolder);
  process.env[usageVariable] = usageFolder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  // Node.js 22 and later keep compiled code there; elsewhere it would be in the temporary folder, and compiled for every file.
  process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules', '.cache', 'compiled');
  // Test files are started with the flags of this process.
  process.execArgv.push('--import', preload);
  // Files run beside one another: more threads of each for collecting garbage and compiling cost a tenth of the processor time.
  process.execArgv.push('--v8-pool-size=1', '--single-threaded-gc');
}
