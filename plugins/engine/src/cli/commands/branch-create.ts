import { argument, branchArgument, defineCommand, sameRepository, textOf } from '@srv/lib-commands';

export const branchCreate = defineCommand({
  name: 'branch create',
  summary: 'Create a new branch in a repository',
  examples: ['cli branch create srv://example-repo/new-branch -s srv://example-repo/main'],
  arguments: [branchArgument],
  options: [{ name: 'source', short: 's', type: 'string', required: true, description: 'source ref URI' }],
  async run(context, input) {
    const uri = context.uri.branch(argument(input, 0));
    const source = context.uri.ref(textOf(input.options.source) ?? '', 'source ref URI');
    context.echo('Source ref', source);
    sameRepository(uri, source, 'source branch must be in the same repository');
    const api = await context.client();
    const commitId = await api.createBranch({ repository: uri.repository, body: { name: uri.ref, source: source.ref } });
    return { id: uri.ref, commit_id: commitId.trim() };
  },
  render: ({ id, commit_id: commitId }) => `created branch '${id}' ${commitId}`,
});
