import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

function removeAll(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** A new temporary folder, which is removed when the process of the test ends. */
export function scratchFolder(): string {
  // Before the check for files that are left.
  if (folders.size === 0) process.prependOnceListener('exit', removeAll);
  const folder = mkdtempSync(join(tmpdir(), 'srv-scratch-'));
  folders.add(folder);
  return folder;
}
