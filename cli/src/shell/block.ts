/** Several lines given at once: each is evaluated as soon as it is complete. */
import { more } from './evaluator.js';
import type { Evaluated } from './evaluator.js';

type Evaluate = (text: string) => Promise<Evaluated | typeof more>;

/**
 * Stops at the first failure, and at a line that leaves.
 * @param show gets the values of JavaScript lines, except the last.
 * @returns the result of the last line; {@link more} when nothing of the block was complete.
 */
export async function evaluateBlock(block: string, evaluate: Evaluate, show: (value: unknown) => void): Promise<Evaluated | typeof more> {
  // Node.js 24 separates the lines of a block as its history does.
  const lines = block.replace(/\n$/, '').split(/\r\n?|\n/);
  if (lines.length === 1) return evaluate(block);
  let pending = '';
  let last: Evaluated | typeof more = more;
  for (const [index, line] of lines.entries()) {
    pending = pending === '' ? line : `${pending}\n${line}`;
    if (pending.trim() === '') continue;
    const result = await evaluate(pending);
    if (result === more) continue;
    pending = '';
    last = result;
    if (result.exitCode !== 0 || result.leaves) return result;
    if (index < lines.length - 1 && !result.isCommand && result.value !== undefined) show(result.value);
  }
  if (pending.trim() === '' || last === more) return last;
  throw new SyntaxError(`the end of the block is not complete and was not run:\n${pending}`);
}
