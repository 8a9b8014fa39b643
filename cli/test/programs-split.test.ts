/** Programs are what their statements are, however these are divided into lines and wherever they come from. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCount } from '@srv/kernel/testing';
import fc from 'fast-check';
import { Evaluator } from '../src/shell/evaluator.js';
import { evaluateTyped } from '../src/shell/program-run.js';
import { shell } from './shell.js';
import type { Command } from '@srv/lib-commands';

/**
 * Statements, `N` a number of their own. A line may end at `~`; at `^` only where the program is read whole, since what
 * comes before is complete; at `§` with a backslash.
 */
const templates: readonly string[] = [
  'const vN =~ [1,~ 2,~ 3]^.map(~x => x *~ N)\nconsole.log(vN~)',
  "try~ {~ console.log(~'tN');~ throw new Error(~'eN')~ }~ catch (e)~ {~ console.log(e.message)~ }^ finally {~ console.log('f')~ }",
  "if (N % 2 ===~ 0) {~ console.log('evenN')~ }^ else~ {~ console.log('oddN')~ }",
  "for (const i of~ [1, 2])~ {~ await null;~ console.log(~'lN', i)~ }",
  "note aN§b§'c d'",
  '# it is not a "line',
  "console.log(~await~ Promise.resolve('wN')^.then(~s => s +~ '!'))",
  "for (const k of ['pN',~ 'q'])~ {\n  note $k§end\n}",
  'const { a: aN,~ b: [bN] } =~ await~ { a: 1, b: [N] };\nnote $aN $bN',
  'function fN(x) {~ return x + N~ }\nconsole.log(~fN(1))',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: JavaScript that the shell evaluates
  'let sN = `one\n# two ${N +~ 1}\nthree`;\nconsole.log(sN)',
  'await~ (async () => {\n  note inN\n})()',
  "switch (N) {~ case N:\n  note caseN\n  break;~ default:~ console.log('never')~ }",
  'class CN {\n  #x =~ N;\n  get~ x() {~ return this.#x~ }\n}\nconsole.log(new CN()^.x)',
  'var cN =~ 0\nwhile (cN <~ 2)~ {~ cN++;~ await null~ }\nconsole.log(cN)',
  "import { basename as bnN }~ from~ 'node:path';\nconsole.log(bnN('/x/yN'))",
  "console.log((~await run(~'note $sum'~)).length,~ (await run(['note', 'x y', 'N'])))",
];

const program = fc.array(
  fc.record({ template: fc.nat(templates.length - 1), breaks: fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }) }),
  {
    minLength: 1,
    maxLength: 8,
  },
);

type Pieces = readonly { readonly template: number; readonly breaks: readonly boolean[] }[];

/** @param joints those of the marks that become the end of a line, where the random choice says so. */
function textOf(pieces: Pieces, joints: string): string {
  const statements = pieces.map(({ template, breaks }, index) => {
    let joint = 0;
    return (templates[template] ?? '').replaceAll('N', String(index + 3)).replace(/[~^§] ?/g, mark => {
      const ends = joints.includes(mark.charAt(0)) && breaks[joint++ % breaks.length];
      if (mark.startsWith('§')) return ends ? ' \\\n' : ' ';
      return ends ? '\n' : mark.slice(1);
    });
  });
  return `var sum = 'all'\n${statements.join('\n')}\n`;
}

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
    fc.asyncProperty(program, async pieces => {
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
