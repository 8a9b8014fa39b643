import { argument, branchArgument, defineCommand } from '@srv/lib-commands';

export const branchShow = defineCommand({
  name: 'branch show',
  summary: 'Show branch latest commit reference',
  examples: ['cli branch show srv://example-repo/main'],
  arguments: [branchArgument],
  async run(context, input) {
    const uri = context.uri.branch(argument(input, 0));
    context.echo('Branch', uri);
    const api = await context.client();
    return api.getBranch({ repository: uri.repository, branch: uri.ref });
  },
  render: ({ commit_id: commitId }) => `Commit ID: ${commitId}`,
});
