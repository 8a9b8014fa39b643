/** Runs test files one after another in this process, each as a suite that has the path of the file as its name. */
import { after, before, describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { measureFileOfGroup } from './usage.js';

/** @param files absolute paths of compiled files. */
export async function runGroup(files: readonly string[]): Promise<void> {
  // A file is loaded when the one before it has ended: its tests, hooks and waiting modules belong to one suite.
  for (const file of files) await runFile(file);
}

function runFile(file: string): Promise<void> {
  return new Promise(ended => {
    void describe(file, async () => {
      let end: (() => void) | undefined;
      before(() => {
        end = measureFileOfGroup(file);
      });
      try {
        await import(pathToFileURL(file).href);
      } finally {
        after(() => {
          end?.();
          ended();
        });
      }
    });
  });
}
