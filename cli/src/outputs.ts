/** Standard output and standard error can fail: their reader leaves, or the disk that holds their file is full. */

let outlives = false;
let fault: Error | undefined;

/**
 * Without a listener a failed write is a fault with a stack. A program ends when it cannot write its result: quietly if the
 * reader of a pipe left, otherwise with a message and exit code 1. Messages on standard error may be lost.
 * @param program name of the program, for the message.
 */
export function guardOutputs(program: string): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (outlives && error.code !== 'EPIPE') fault ??= error;
    if (outlives) return;
    if (error.code === 'EPIPE') process.exit(0);
    process.stderr.write(`${program}: standard output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  process.stderr.on('error', () => {});
}

/** For a server, which stays when its log cannot be written (the plugin `logging` counts the lines), and for a script, which does more than to print. */
export function outliveOutputs(): void {
  outlives = true;
}

/** Why standard output could not be written, unless its reader left. */
export function outputFault(): Error | undefined {
  return fault;
}
