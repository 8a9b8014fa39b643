import { argument, defineCommand, repositoryArgument, table } from '@srv/lib-commands';
import { readRules } from './rules.js';

export const branchProtectList = defineCommand({
  name: 'branch-protect list',
  summary: 'List all branch protection rules',
  examples: ['cli branch-protect list srv://example-repo'],
  arguments: [repositoryArgument],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const { patterns } = await readRules(await context.client(), repository);
    return patterns.map(pattern => ({ pattern }));
  },
  render: (rules, { terminal }) =>
    table(
      ['Branch Name Pattern'],
      rules.map(({ pattern }) => [pattern]),
      terminal,
    ),
});
