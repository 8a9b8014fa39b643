import { argument, defineCommand, listed, paginationOptions, repositoryArgument, table } from '@srv/lib-commands';

export const branchDeleted = defineCommand({
  name: 'branch deleted',
  summary: 'List branches that can be restored',
  examples: ['cli branch deleted srv://example-repo'],
  arguments: [repositoryArgument],
  options: paginationOptions,
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const api = await context.client();
    return listed(context, input, query => api.listDeletedBranches({ repository, ...query }));
  },
  render: ({ results }, { terminal }) =>
    table(
      ['Branch', 'Commit ID', 'Deleted at', 'Deleted by', 'Kept until'],
      results.map(found => [found.id, found.commit_id, found.deleted_at, found.deleted_by ?? '', found.kept_until]),
      terminal,
    ),
});
