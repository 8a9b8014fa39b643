/**
 * Loaded before a test file: gives it a temporary folder of its own, and fails it when it leaves something there.
 * The processes that the file starts inherit the folder as `TMPDIR`.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { measureThisFile, usageVariable } from './usage.js';

/** Set by node in the process of a test file. */
const isTestFile = process.env['NODE_TEST_CONTEXT'] !== undefined;
const marker = 'SRV_TEST_FOLDER';
/** PostgreSQL, which refuses to run as root, comes through to the folder that it is given. */
const passable = 0o711;
/** Looks at what is left, and the milliseconds between them. */
const looks = 20;
const pause = 100;

// Threads and processes that a test starts with the flags of its own load this, too: they share the folder of the file.
if (isMainThread && isTestFile && process.env[marker] === undefined) {
  // Short: sockets have paths of 107 bytes at most.
  const folder = mkdtempSync(join(tmpdir(), 't-'));
  chmodSync(folder, passable);
  process.env['TMPDIR'] = folder;
  process.env[marker] = folder;
  const usageFolder = process.env[usageVariable];
  if (usageFolder !== undefined) measureThisFile(usageFolder);
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
