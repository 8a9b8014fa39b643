import { relative } from 'node:path';
import { defineCommand, formatUri, table } from '@srv/lib-commands';
import { directoryArgument } from './options.js';

interface LinkedFolder {
  /** Relative to where the search began. */
  readonly path: string;
  readonly uri: string;
  /** Commit of the last sync. */
  readonly commit: string;
  /** Operation that was begun and not ended. */
  readonly interrupted?: string | undefined;
}

export const localList = defineCommand({
  name: 'local list',
  summary: 'List linked directories',
  description: 'Searches below the directory or, inside a git work tree and without an argument, the whole work tree.',
  examples: ['cli local list'],
  arguments: [directoryArgument],
  async run(context, input): Promise<LinkedFolder[]> {
    const [{ searchStart }, { findLinked }] = await Promise.all([import('./sync/workspace.js'), import('./sync/linked.js')]);
    const start = await searchStart(context, input.args[0]);
    const found: LinkedFolder[] = [];
    for await (const { folder, index } of findLinked(start, context.warn))
      found.push({
        path: relative(start, folder) || '.',
        uri: formatUri(index.src),
        commit: index.head,
        interrupted: index.active?.name,
      });
    return found;
  },
  render: (found, { terminal }) =>
    table(
      ['Directory', 'Remote URI', 'Synced commit'],
      found.map(({ path, uri, commit }) => [path, uri, commit]),
      terminal,
    ),
});
