import { paginationOptions } from '../context.js';
import { argument, defineCommand, hintMore, pageQuery, repositoryArgument } from '../define.js';
import { table } from '../output/table.js';

export const branchList = defineCommand({
  name: 'branch list',
  summary: 'List branches in a repository',
  arguments: [repositoryArgument],
  options: paginationOptions,
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const query = pageQuery(input);
    const api = await context.client();
    return hintMore(context, await api.listBranches({ repository, ...query }), query.amount);
  },
  render: ({ results }, { terminal }) =>
    table(
      ['Branch', 'Commit ID'],
      results.map(b => [b.id, b.commit_id]),
      terminal,
    ),
});
