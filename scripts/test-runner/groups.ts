/**
 * Which test files share a process. Loading the modules of a server takes longer than most files need for their tests, so
 * that neighbouring files run one after another in one process.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLong } from './selection.js';
import type { TestFile } from './test-files.js';

/** More would leave processors idle at the end of a run. */
const largestGroup = 24;
/** What a file changes or measures of its whole process: it runs alone. */
const processWide: readonly RegExp[] = [
  /\bprocess\.env(?:\[[^\]]*\]|\.\w+) \??=[^=]/,
  /\bdelete process\.env\b/,
  /\bObject\.assign\(process\.env\b/,
  /\bprocess\.(?:chdir|exitCode|on|once|emit|emitWarning|stdin|stdout|stderr|getActiveResourcesInfo|memoryUsage|cpuUsage|umask)\b/,
  /\b(?:heldBytes|monitorEventLoopDelay|eventLoopUtilization|syncBuiltinESMExports)\b/,
  /\bObject\.assign\(globalThis\b/,
  /\bglobalThis\.\w+ =[^=]/,
  /\bmock\.method\((?:globalThis|process|console)\b/,
];

/** @param files in the order in which they are to begin, but for long ones, which come first: begun last, one would run alone in the end. */
export function groupFiles(root: string, files: readonly TestFile[]): TestFile[][] {
  const groups: TestFile[][] = [];
  let open: TestFile[] = [];
  for (const file of [...files.filter(isLong), ...files.filter(file => !isLong(file))]) {
    if (isLong(file) || runsAlone(readFileSync(join(root, file.source), 'utf8'))) {
      groups.push([file]);
      continue;
    }
    if (open.length % largestGroup === 0) {
      open = [];
      groups.push(open);
    }
    open.push(file);
  }
  return groups;
}

export function runsAlone(text: string): boolean {
  return processWide.some(pattern => pattern.test(text));
}
