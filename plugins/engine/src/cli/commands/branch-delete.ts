import { argument, branchArgument, defineCommand, yesOption } from '@srv/lib-commands';

export const branchDelete = defineCommand({
  name: 'branch delete',
  summary: 'Delete a branch in a repository, along with its uncommitted changes (CAREFUL)',
  examples: ['cli branch delete srv://example-repo/example-branch'],
  arguments: [branchArgument],
  options: [yesOption],
  async run(context, input) {
    const uri = context.uri.branch(argument(input, 0));
    context.echo('Branch', uri);
    await context.confirm('Delete branch', 'Are you sure you want to delete branch', input.options.yes);
    const api = await context.client();
    await api.deleteBranch({ repository: uri.repository, branch: uri.ref });
  },
});
