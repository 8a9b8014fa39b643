/** A note to the operator, beside the output. */
export function warn(text: string): void {
  process.stderr.write(`Warning: ${text}\n`);
}
