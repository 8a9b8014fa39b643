import { paginationOptions } from '../context.js';
import { defineCommand, hintMore, pageQuery } from '../define.js';
import { table } from '../output/table.js';
import { formatDate } from '../output/text.js';

export const repoList = defineCommand({
  name: 'repo list',
  summary: 'List repositories',
  examples: ['cli repo list'],
  options: paginationOptions,
  async run(context, input) {
    const query = pageQuery(input);
    const api = await context.client();
    return hintMore(context, await api.listRepositories(query), query.amount);
  },
  render: ({ results }, { terminal }) =>
    table(
      ['Repository', 'Creation Date', 'Default Ref Name', 'Storage ID', 'Storage Namespace'],
      results.map(r => [r.id, formatDate(r.creation_date), r.default_branch, r.storage_id ?? '', r.storage_namespace]),
      terminal,
    ),
});
