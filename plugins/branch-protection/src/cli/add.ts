import { argument, defineCommand, repositoryArgument, required } from '@srv/lib-commands';
import { readRules, writeRules } from './rules.js';

export const branchProtectAdd = defineCommand({
  name: 'branch-protect add',
  summary: 'Add a branch protection rule',
  description:
    'Add a branch protection rule for a given branch name pattern. Matching branches refuse writes of objects, commits and resets, but not merges, imports, reverts, cherry-picks and their deletion.',
  examples: ["cli branch-protect add srv://example-repo 'stable_*'"],
  arguments: [repositoryArgument, required('pattern', 'branch name; * ? [a-z] {a,b} are wildcards')],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const api = await context.client();
    const { patterns, etag } = await readRules(api, repository);
    const pattern = argument(input, 1);
    if (!patterns.includes(pattern)) await writeRules(api, repository, { patterns: [...patterns, pattern], etag });
  },
});
