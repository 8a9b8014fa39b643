/** Tests from tables of scripts. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { TestRunner } from './run-script.js';
import type { ScriptCase, ScriptOptions } from './run-script.js';

/** One test a script; two run at a time. */
export function testScripts(what: string, cases: readonly ScriptCase[], options: ScriptOptions = {}): void {
  describe(what, { concurrency: 2 }, () => {
    const scripts = new TestRunner();
    after(() => scripts.close());
    for (const [script, expected] of cases)
      it(nameOf(script), async () => {
        const { output, failure } = await scripts.run(script, options);
        if (typeof expected === 'string') assert.deepEqual({ output, failure }, { output: `${expected}\n`, failure: undefined });
        else assert.match(failure ?? `the script succeeded and printed ${output}`, expected);
      });
  });
}

const nameOf = (script: string): string => script.replaceAll(/\s+/g, ' ').slice(0, 100);
