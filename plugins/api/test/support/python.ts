/** The Python scripts of these tests. */
import { fileURLToPath } from 'node:url';
import { runPython } from '@srv/test-servers/python';

/** Runs a script of `test/foreign`. @returns standard output. @throws Error with everything it printed. */
export function runScript(python: string, script: string, ...args: string[]): Promise<string> {
  return runPython(python, [fileURLToPath(new URL(`../../../test/foreign/${script}`, import.meta.url)), ...args]);
}
