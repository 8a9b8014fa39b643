import { argument, branchArgument, defineCommand, textOf } from '@srv/lib-commands';

export const branchUndelete = defineCommand({
  name: 'branch undelete',
  summary: 'Restore a deleted branch at its last commit',
  description: 'Restore a deleted branch at its last commit. Its uncommitted changes are not restored. `branch deleted` lists what can be.',
  examples: ['cli branch undelete srv://example-repo/old', 'cli branch undelete srv://example-repo/old --as rescued'],
  arguments: [branchArgument],
  options: [{ name: 'as', type: 'string', description: 'another name for the restored branch' }],
  async run(context, input) {
    const uri = context.uri.branch(argument(input, 0));
    context.echo('Branch', uri);
    const name = textOf(input.options.as);
    const api = await context.client();
    return api.undeleteBranch({ repository: uri.repository, branch: uri.ref, body: name === undefined ? {} : { name } });
  },
  render: ({ id, commit_id: commitId }) => `restored branch '${id}' ${commitId}`,
});
