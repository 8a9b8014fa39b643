import { Readable } from 'node:stream';
import { defineCommand } from '@srv/lib-commands';

/** Also what has scrolled away. */
const wipe = '\u001b[H\u001b[2J\u001b[3J';

export const clearCommand = defineCommand({
  name: 'clear',
  summary: 'Clear the screen',
  // As bytes, which are written without a line end: the prompt is in the first line then.
  run: ({ terminal }) => (terminal.interactive ? Readable.from([Buffer.from(wipe)], { objectMode: false }) : undefined),
});
