import { argument, defineCommand, formatDate, listed, paginationOptions } from '@srv/lib-commands';
import { placeArgument, placeOf } from './place.js';
import type {} from '../operations/index.js';

const signs = { added: '+', changed: '~', removed: '-' } as const;

export const searchJournal = defineCommand({
  name: 'search journal',
  summary: 'Show which commits added, changed and removed objects, newest first',
  examples: ['cli search journal srv://example-repo/main/images/'],
  arguments: [placeArgument],
  options: paginationOptions.filter(({ name }) => name !== 'prefix'),
  async run(context, input) {
    const { repository, ref, path: prefix } = placeOf(context, argument(input, 0));
    const api = await context.client();
    return listed(context, input, page => api.getObjectJournal({ repository, ref, prefix, ...page }));
  },
  render: ({ results }) =>
    results
      .map(
        ({ operation, commit_id: commit, time, committer, path }) =>
          `${signs[operation]} ${formatDate(time).padEnd(29)}  ${commit.slice(0, 12)}  ${committer.padEnd(16)}  ${path}`,
      )
      .join('\n'),
});
