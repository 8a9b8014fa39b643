import { defineCommand, formatDate, listed, paginationOptions, table } from '@srv/lib-commands';

export const repoList = defineCommand({
  name: 'repo list',
  summary: 'List repositories',
  examples: ['cli repo list'],
  options: paginationOptions,
  async run(context, input) {
    const api = await context.client();
    return listed(context, input, query => api.listRepositories(query));
  },
  render: ({ results }, { terminal }) =>
    table(
      ['Repository', 'Creation Date', 'Default Ref Name', 'Storage ID', 'Storage Namespace'],
      results.map(r => [r.id, formatDate(r.creation_date), r.default_branch, r.storage_id ?? '', r.storage_namespace]),
      terminal,
    ),
});
