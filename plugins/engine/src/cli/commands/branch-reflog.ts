import { argument, branchArgument, defineCommand, listed, paginationOptions, table } from '@srv/lib-commands';

export const branchReflog = defineCommand({
  name: 'branch reflog',
  summary: 'Show where a branch has been',
  description:
    'Show where a branch has been, newest first: commits, merges, resets, deletion and restoration. `branch reset --hard` takes it to any of the commits.',
  examples: ['cli branch reflog srv://example-repo/main', 'cli branch reflog srv://example-repo/main --amount 5 -o json'],
  arguments: [branchArgument],
  options: paginationOptions.filter(({ name }) => name !== 'prefix'),
  async run(context, input) {
    const uri = context.uri.branch(argument(input, 0));
    const api = await context.client();
    return listed(context, input, query => api.getBranchLog({ repository: uri.repository, branch: uri.ref, ...query }));
  },
  render: ({ results }, { terminal }) =>
    table(
      ['Operation', 'Commit ID', 'Previous', 'Time', 'User', 'Message'],
      results.map(move => [
        move.operation,
        move.commit_id,
        move.previous_commit_id,
        move.time,
        move.user ?? '',
        (move.message ?? '').split('\n', 1)[0] ?? '',
      ]),
      terminal,
    ),
});
