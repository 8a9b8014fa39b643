/** Random programs for the shell, whose statements are divided into lines at random. */
import fc from 'fast-check';

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

/** Between one and eight statements, each with its choice of line ends. */
export const randomProgram = fc.array(
  fc.record({ template: fc.nat(templates.length - 1), breaks: fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }) }),
  {
    minLength: 1,
    maxLength: 8,
  },
);

export type Pieces = readonly { readonly template: number; readonly breaks: readonly boolean[] }[];

/** @param joints those of the marks that become the end of a line, where the random choice says so. */
export function textOf(pieces: Pieces, joints: string): string {
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
