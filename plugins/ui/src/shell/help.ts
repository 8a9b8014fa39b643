/** What `help` prints in the page beyond the list of commands. */
export function pageHelp(elsewhere: readonly string[]): string {
  return `
In the page:
  use srv://repo/main     go there; addresses are relative to it: ls images/
  ls | where size_bytes > 1000 && path.endsWith('.png')
                          items through an expression over their fields
  open images/a.png       show an address in the page; without one, where the shell is
  _                       data of the last line: _.length, _.map(o => o.path), _[0].checksum
  big = _.filter(o => o.size_bytes > 1e6)
                          a variable; $name is its value in a command
  Tab, Esc Tab            complete; leave the line
  Up, Down                earlier lines
  Ctrl C, or Stop         end what runs
  clear, exit             empty the shell; close it
Expressions are what is safe of JavaScript: no statements, no await. All of it is in cli repl.
Only in cli, as they need files or programs of your machine: ${elsewhere.join(', ')}
`;
}
