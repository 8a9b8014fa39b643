import { argument, defineCommand, formatSize, listed, paginationOptions, table } from '@srv/lib-commands';
import { placeArgument, placeOf } from './place.js';
import type {} from '../operations/index.js';

export const searchUsage = defineCommand({
  name: 'search usage',
  summary: 'Show objects and bytes by folder, and how much of them no other branch or tag has',
  description: `Show objects and bytes by folder. An object is unique if no other branch or tag has one of the same path and content:
this is what only this branch keeps.`,
  examples: ['cli search usage srv://example-repo/main/', 'cli search usage srv://example-repo/main/images/ --total'],
  arguments: [placeArgument],
  options: [
    ...paginationOptions.filter(({ name }) => name !== 'prefix'),
    { name: 'total', type: 'bool', default: false, description: 'one sum of everything below the path' },
  ],
  async run(context, input) {
    const { repository, ref, path: prefix } = placeOf(context, argument(input, 0));
    const delimiter = input.options.total === true ? '' : '/';
    const api = await context.client();
    return listed(context, input, page => api.getPrefixUsage({ repository, ref, prefix, delimiter, ...page }));
  },
  render: ({ results }, { terminal }) =>
    table(
      ['Path', 'Objects', 'Size', 'Unique objects', 'Unique size'],
      results.map(({ path, objects, size_bytes: size, unique_objects: unique, unique_size_bytes: uniqueSize }) => [
        path === '' ? '/' : path,
        String(objects),
        formatSize(size),
        String(unique),
        formatSize(uniqueSize),
      ]),
      terminal,
    ),
});
