/** `cli branch age`: branches with the time of their last commit, oldest first. */
import { definePlugin } from '@srv/kernel';
import { argument, defineCommand, formatDate, repositoryArgument, table } from '@srv/lib-commands';
import type {} from '@srv/engine/operations';

const branchAge = defineCommand({
  name: 'branch age',
  summary: 'Branches by the time of their last commit',
  arguments: [repositoryArgument],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const api = await context.client();
    const { results } = await api.listBranches({ repository });
    const ages = results.map(async ({ id, commit_id: commitId }) => ({
      id,
      date: (await api.getCommit({ repository, commitId })).creation_date,
    }));
    return (await Promise.all(ages)).sort((a, b) => a.date - b.date);
  },
  render: (rows, { terminal }) =>
    table(
      ['Branch', 'Last commit'],
      rows.map(({ id, date }) => [id, formatDate(date)]),
      terminal,
    ),
});

export default definePlugin({
  name: 'branch-age',
  apply: ({ hooks }) => hooks.commands.tap('branch-age', registry => registry.add(branchAge, 'branch-age')),
});
