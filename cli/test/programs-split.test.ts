/** Programs are what their statements are, however these are divided into lines and wherever they come from. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCount } from '@srv/kernel/testing';
import fc from 'fast-check';
import { Evaluator } from '../src/shell/evaluator.js';
import { evaluateTyped } from '../src/shell/program-run.js';
import { randomProgram, textOf } from './random-programs.js';
import { shell } from './shell.js';
import type { Command } from '@srv/lib-commands';

const note: Command = {
  name: 'note',
  summary: 'Print the words',
  arguments: [{ name: 'word', description: 'any', variadic: true }],
  run: (_context, { args }) => args.join('|'),
  render: text => String(text),
};

async function asFile(text: string): Promise<string> {
  const { run, out, told } = shell({}, { added: [note] });
  const code = await run(text);
  assert.equal(code, 0, `${told.join('\n')}\n${text}`);
  return out();
}

/** @param texts what is entered at once: a paste, or each line. */
async function entered(texts: readonly string[]): Promise<string> {
  const { session, output, out, told } = shell({}, { added: [note] });
  const evaluator = new Evaluator({ session, args: [], names: {}, console: { stdout: output, stderr: output } });
  let open = '';
  for (const text of texts) {
    open += `${text}\n`;
    const result = await evaluateTyped(evaluator, open, 'REPL1');
    if (result === undefined) continue;
    assert.equal(result.exitCode, 0, `${told.join('\n')}\n${open}`);
    open = '';
  }
  assert.equal(open, '');
  evaluator.close();
  return out();
}

test('a program gives the same result however its statements are divided into lines, as a file, as a paste and typed', async () => {
  await fc.assert(
    fc.asyncProperty(randomProgram, async pieces => {
      const expected = await asFile(textOf(pieces, ''));
      const whole = textOf(pieces, '~^§');
      assert.equal(await asFile(whole), expected, whole);
      assert.equal(await asFile(whole.replaceAll('\n', '\r\n')), expected, whole);
      assert.equal(await entered([whole.trimEnd()]), expected, whole);
      const typed = textOf(pieces, '~§');
      assert.equal(await entered(typed.trimEnd().split('\n')), expected, typed);
    }),
    { numRuns: runCount(30, 60) },
  );
});
