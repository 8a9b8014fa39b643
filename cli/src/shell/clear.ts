import { defineCommand } from '@srv/lib-commands';

/** Also what has scrolled away. */
const wipe = '\u001b[H\u001b[2J\u001b[3J';

export const clearCommand = defineCommand({
  name: 'clear',
  summary: 'Clear the screen',
  run: () => '',
  render: (_data, { terminal }) => (terminal.interactive ? wipe : ''),
});
