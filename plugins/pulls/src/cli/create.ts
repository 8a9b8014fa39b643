import { argument, branchArgument, defineCommand, listOf, required, sameRepository, textOf } from '@srv/lib-commands';
import type {} from '../operations/index.js';

export const prCreate = defineCommand({
  name: 'pr create',
  summary: 'Open a pull request',
  description: 'Propose to merge the first branch into the second one.',
  examples: ['cli pr create srv://example-repo/feature srv://example-repo/main --title "Add feature"'],
  arguments: [required('source URI', branchArgument.description), required('destination URI', branchArgument.description)],
  options: [
    { name: 'title', short: 't', type: 'string', description: 'title; by default the names of the branches' },
    { name: 'description', short: 'd', type: 'string', description: 'what it is about, in Markdown' },
    { name: 'reviewer', type: 'list', description: 'users to ask for a review' },
  ],
  async run(context, input) {
    const source = context.uri.branch(argument(input, 0), 'source URI');
    const destination = context.uri.branch(argument(input, 1), 'destination URI');
    sameRepository(source, destination, 'both branches must belong to the same repository');
    const title = textOf(input.options['title']) ?? `Merge ${source.ref} into ${destination.ref}`;
    const description = textOf(input.options['description']);
    const api = await context.client();
    const { repository } = source;
    const made = await api.createPullRequest({
      repository,
      body: {
        title,
        source_branch: source.ref,
        destination_branch: destination.ref,
        description,
      },
    });
    for (const reviewer of listOf(input.options['reviewer']))
      await api.requestPullRequestReview({ repository, pull_request: made.id, reviewer });
    return made;
  },
  render: ({ id }) => `Opened pull request ${id}`,
});
