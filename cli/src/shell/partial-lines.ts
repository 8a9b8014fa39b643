/** Output whose last line has no end, such as that of an object without one: readline would write the prompt over it. */
import type { REPLServer } from 'node:repl';

/** A percent sign in reverse video, as zsh shows it. */
const mark = '\u001b[7m%\u001b[27m';

/**
 * Writes a mark and a line of spaces before each prompt. After a part of a line, the spaces reach into the next one, and the
 * prompt comes there; otherwise the prompt comes where the mark is, and removes it. This covers programs, too, whose output
 * does not pass through this process. Does nothing where the output is not a terminal.
 */
export function keepPartialLines(server: REPLServer, { env, stdout } = process): void {
  if (!server.terminal || env.TERM === 'dumb') return;
  const display = server.displayPrompt.bind(server);
  Object.assign(server, {
    displayPrompt: (preserveCursor?: boolean) => {
      // Otherwise the cursor is in the line that is typed.
      if (preserveCursor !== true) stdout.write(`${mark}${' '.repeat(Math.max(0, (stdout.columns ?? 80) - 1))}\r`);
      display(preserveCursor);
    },
  });
}
