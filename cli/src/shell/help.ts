/** What `help` prints in the shell in addition to the list of commands. */
const shellHelp = `
In the shell:
  use srv://repo/main     go there; addresses are relative to it: ls images/
  ls -r | grep png        output through a program, ls | where size_bytes > 1000 through an expression
  for (const x of ...)    everything that is not a command is JavaScript, with await
  _                       data of the last line; run('ls') is the data of a command, unprinted
  $name                   a variable of JavaScript or of the environment, in a command
  client(), parallel()    the typed client; work on many items at a time
  .timing, .exit          show how long lines take; leave (so do exit, quit, \\q and Ctrl-D)
`;

let more = '';

/** For a shell with names of its own. */
export function addHelp(text: string): void {
  more = text;
}

export function helpOfShell(): string {
  return shellHelp + more;
}
