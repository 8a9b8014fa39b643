import { argument, defineCommand, everything, pathArgument } from '@srv/lib-commands';
import { objectLine } from './output/objects.js';

export const fsLs = defineCommand({
  name: 'fs ls',
  summary: 'List entries under a given tree',
  examples: ['cli fs ls srv://example-repo/main/images/', 'cli fs ls -r srv://example-repo/main/'],
  arguments: [pathArgument],
  options: [{ name: 'recursive', short: 'r', type: 'bool', default: false, description: 'list all objects under the specified path' }],
  async run(context, input) {
    const { repository, ref, path: prefix } = context.uri.path(argument(input, 0));
    const delimiter = input.options.recursive === true ? {} : { delimiter: '/' };
    const api = await context.client();
    return everything(page => api.listObjects({ repository, ref, prefix, ...delimiter, ...page }));
  },
  render: (entry, { terminal, uri }, input) => {
    const { path: prefix } = uri.path(argument(input, 0));
    const trimmed = input.options.recursive === true ? 0 : prefix.lastIndexOf('/') + 1;
    return objectLine(entry, entry.path.slice(trimmed), terminal);
  },
});
