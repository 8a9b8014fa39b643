/** A temporary folder for each test file, which fails when it leaves something there. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Set in the process of a test file, and inherited by the processes that it starts. */
export const folderVariable = 'SRV_TEST_FOLDER';
/** PostgreSQL, which refuses to run as root, comes through to the folder that it is given. */
const passable = 0o711;
/** Looks at what is left, and the milliseconds between them. */
const looks = 20;
const pause = 100;

/** Gives this process, which runs a test file, its folder; the processes that it starts inherit it as `TMPDIR`. */
export function takeOwnFolder(): void {
  // Short: sockets have paths of 107 bytes at most.
  const folder = mkdtempSync(join(tmpdir(), 't-'));
  chmodSync(folder, passable);
  process.env['TMPDIR'] = folder;
  process.env[folderVariable] = folder;
  process.on('exit', code => {
    // A test that broke off had no chance to clear up.
    const left = code === 0 ? remaining(folder) : [];
    if (left.length > 0) {
      process.stderr.write(`the test file left these in its temporary folder: ${left.sort().join(', ')}\n`);
      process.exitCode = 1;
    }
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A process that was ended with the file may still write; the runner removes the rest at its own end.
    }
  });
}

/** What is in the folder once nothing disappears any more: stopping programs may still be cleaning up. */
function remaining(folder: string): string[] {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  let left = readdirSync(folder);
  for (let look = 0; left.length > 0 && look < looks; look++) {
    Atomics.wait(clock, 0, 0, pause);
    left = readdirSync(folder);
  }
  return left;
}
