import { argument, defineCommand, repositoryArgument, required } from '@srv/lib-commands';
import { readRules, writeRules } from './rules.js';

export const branchProtectDelete = defineCommand({
  name: 'branch-protect delete',
  summary: 'Delete a branch protection rule',
  description: 'Delete the branch protection rule of a branch name pattern; the pattern must be spelled as in the rule.',
  examples: ["cli branch-protect delete srv://example-repo 'stable_*'"],
  arguments: [repositoryArgument, required('pattern', 'pattern of the rule')],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const api = await context.client();
    const { patterns, etag } = await readRules(api, repository);
    const rest = patterns.filter(pattern => pattern !== argument(input, 1));
    if (rest.length === patterns.length) throw new Error('Branch protection rule not found');
    await writeRules(api, repository, { patterns: rest, etag });
  },
});
