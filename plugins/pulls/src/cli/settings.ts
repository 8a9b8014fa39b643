import { UsageError, argument, defineCommand, keyValues, listOf, repositoryArgument } from '@srv/lib-commands';
import type {} from '../operations/index.js';

export const prSettings = defineCommand({
  name: 'pr settings',
  summary: 'Show or change the settings of pull requests',
  description: `Merges into branches that match a pattern need a number of approvals, by users who are not the author. The pattern must be a
branch protection rule. --approvals replaces all of them; with --clear-approvals none remain.`,
  examples: ['cli pr settings srv://example-repo', 'cli pr settings srv://example-repo --approvals main=2,release*=1'],
  arguments: [repositoryArgument],
  options: [
    { name: 'approvals', type: 'list', description: 'pattern=number pairs' },
    { name: 'clear-approvals', type: 'bool', default: false, description: 'no branch needs approvals' },
    { name: 'delete-source', type: 'bool', default: false, description: 'merges delete the source branch' },
    { name: 'keep-source', type: 'bool', default: false, description: 'merges keep the source branch' },
  ],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const { approvals, 'clear-approvals': none, 'delete-source': deletes, 'keep-source': keeps } = input.options;
    if (deletes === true && keeps === true) throw new UsageError('--delete-source and --keep-source cannot be combined');
    const rules = rulesOf(listOf(approvals));
    if (none === true && rules.length > 0) throw new UsageError('--approvals and --clear-approvals cannot be combined');
    const body = {
      ...(rules.length > 0 || none === true ? { required_approvals: rules } : {}),
      ...(deletes === true || keeps === true ? { delete_source_branch_on_merge: deletes === true } : {}),
    };
    const api = await context.client();
    if (Object.keys(body).length > 0) await api.setPullRequestSettings({ repository, body });
    return api.getPullRequestSettings({ repository });
  },
  render: ({ delete_source_branch_on_merge: deletes, required_approvals: rules }) =>
    [
      `Source branch after a merge: ${deletes ? 'deleted' : 'kept'}`,
      ...(rules.length === 0
        ? ['Approvals: none needed']
        : rules.map(({ pattern, approvals }) => `Approvals for ${pattern}: ${approvals}`)),
    ].join('\n'),
});

function rulesOf(pairs: readonly string[]) {
  return Object.entries(keyValues(pairs, 'approvals', 'main=2')).map(([pattern, number]) => {
    if (!/^\d{1,3}$/.test(number) || Number(number) === 0)
      throw new UsageError(`approvals of ${pattern}: ${JSON.stringify(number)} is not a number from 1 on`);
    return { pattern, approvals: Number(number) };
  });
}
