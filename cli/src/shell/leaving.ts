/** Lines that end the shell: `exit`, `exit 3`, `exit $code`, `quit`, `\q`. */
import { splitWords } from '@srv/engine/shell';
import { UsageError } from '@srv/lib-commands';

const withCode = /^(exit|quit)(?:[ \t]+["'$\w{}-]+)?$/;

/** Ends a program from within a statement. */
export class LeaveError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** @returns the word of a line that ends the shell; `undefined` for any other line. */
export function leaves(text: string): { readonly word: string } | undefined {
  const line = bare(text);
  if (line === '\\q') return { word: '' };
  const word = withCode.exec(line)?.[1];
  return word === undefined ? undefined : { word };
}

/** @throws UsageError for anything but an exit code. */
export function exitCodeOfLine(text: string, variables: (name: string) => string | undefined): number {
  const [, code = '0'] = splitWords(bare(text), variables);
  if (!/^\d{1,3}$/.test(code) || Number(code) > 255) throw new UsageError(`exit: ${JSON.stringify(code)} is not a number from 0 to 255`);
  return Number(code);
}

/** Without a semicolon at the end. */
function bare(text: string): string {
  const line = text.trim();
  return line.endsWith(';') ? line.slice(0, -1).trimEnd() : line;
}
