import { argument, commitArgument, commitBlock, defineCommand, required, sameRepository } from '@srv/lib-commands';
import { parentNumberOf } from './branch-revert.js';

export const cherryPick = defineCommand({
  name: 'cherry-pick',
  summary: 'Apply the changes introduced by an existing commit',
  examples: ['cli cherry-pick srv://example-repo/example-ref srv://example-repo/main'],
  arguments: [commitArgument, required('branch', 'srv://<repository>/<branch>')],
  options: [
    {
      name: 'parent-number',
      short: 'm',
      type: 'int',
      default: 1,
      description: 'the parent number (starting from 1) of the cherry-picked commit',
    },
  ],
  async run(context, input) {
    const commit = context.uri.ref(argument(input, 0), 'commit URI');
    const branch = context.uri.branch(argument(input, 1));
    context.echo('Branch', branch);
    sameRepository(commit, branch, 'both references must belong to the same repository');
    const parentNumber = parentNumberOf(input.options['parent-number']);
    const api = await context.client();
    const made = await api.cherryPick({
      repository: branch.repository,
      branch: branch.ref,
      body: { ref: commit.ref, parent_number: parentNumber },
    });
    return { branch: branch.ref, ...made };
  },
  render: (made, { terminal }) => commitBlock(made.branch, made, terminal),
});
