import { argument, defineCommand, listed, paginationOptions, repositoryArgument, table, textOf } from '@srv/lib-commands';
import type {} from '../operations/index.js';

const statuses = ['open', 'closed', 'all'] as const;

export const prList = defineCommand({
  name: 'pr list',
  summary: 'List pull requests',
  examples: ['cli pr list srv://example-repo', 'cli pr list srv://example-repo --status all -o json'],
  arguments: [repositoryArgument],
  options: [
    { name: 'status', type: 'string', choices: statuses, default: 'open', description: 'which ones; closed includes merged' },
    ...paginationOptions,
  ],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const status = statuses.find(known => known === textOf(input.options['status'])) ?? 'open';
    const api = await context.client();
    return listed(context, input, query => api.listPullRequests({ repository, status, ...query }));
  },
  render: ({ results }, { terminal }) =>
    table(
      ['ID', 'Title', 'Author', 'Source', 'Destination', 'Status'],
      results.map(pull => [pull.id, pull.title, pull.author, pull.source_branch, pull.destination_branch, pull.status]),
      terminal,
    ),
});
