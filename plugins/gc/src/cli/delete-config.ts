import { argument, defineCommand, repositoryArgument } from '@srv/lib-commands';
import type {} from '../operations/index.js';

export const gcDeleteConfig = defineCommand({
  name: 'gc delete-config',
  summary: 'Delete the garbage collection rules of a repository',
  description: 'Delete the garbage collection rules of a repository. Without rules the objects of every commit stay.',
  examples: ['cli gc delete-config srv://example-repo'],
  arguments: [repositoryArgument],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    await (await context.client()).deleteGCRules({ repository });
  },
});
