import { argument, defineCommand, formatDate, formatSize, listed, paginationOptions, required } from '@srv/lib-commands';
import { placeArgument, placeOf } from './place.js';
import type {} from '../operations/index.js';

export const search = defineCommand({
  name: 'search',
  summary: 'Find objects by their metadata',
  description: `Find objects by their metadata, in order of paths.
A condition compares a field with a value: = != < <= > >= like in. Conditions are joined by and, or, not and
parentheses. Fields: path, size, modified, etag, content_type, commit_id, committer, metadata.KEY.
Values: 10, 10MB, "text", "2026-05-01". In patterns of like, * is any run of characters and ? is one.
The index of the repository must be switched on: search enable.`,
  examples: [
    'cli search \'size > 10MB and metadata.label = "cat"\' srv://example-repo/main',
    'cli search \'path like "*.png" and modified > "2026-05-01"\' srv://example-repo/main/images/',
  ],
  arguments: [required('expression', 'condition; an empty one finds everything'), placeArgument],
  options: [
    ...paginationOptions.filter(({ name }) => name !== 'prefix'),
    { name: 'uncommitted', type: 'bool', default: false, description: 'show a branch with what is not committed' },
  ],
  async run(context, input) {
    const { repository, ref, path: prefix } = placeOf(context, argument(input, 1));
    const body = { where: argument(input, 0), prefix, uncommitted: input.options.uncommitted === true };
    const api = await context.client();
    return listed(context, input, page => api.searchObjects({ repository, ref, body: { ...body, ...page } }));
  },
  render: ({ results }, { terminal }) =>
    results
      .map(
        ({ path, size_bytes: size, mtime, commit_id: commit }) =>
          `${formatDate(mtime).padEnd(29)}  ${formatSize(size).padEnd(10)}  ${(commit ?? 'uncommitted').slice(0, 12).padEnd(12)}  ${terminal.colours.yellowBright(path)}`,
      )
      .join('\n'),
});
