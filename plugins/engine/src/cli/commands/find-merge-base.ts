import { argument, defineCommand, required, sameRepository } from '@srv/lib-commands';

export const findMergeBase = defineCommand({
  name: 'find-merge-base',
  summary: 'Find the commits for the merge operation',
  examples: ['cli find-merge-base srv://example-repo/feature srv://example-repo/main'],
  hidden: true,
  arguments: [required('source ref URI', 'srv://<repository>/<ref>'), required('destination ref URI', 'srv://<repository>/<ref>')],
  async run(context, input) {
    const source = context.uri.ref(argument(input, 0), 'source ref URI');
    const destination = context.uri.ref(argument(input, 1), 'destination ref URI');
    context.echo('Source', source);
    context.echo('Destination', destination);
    sameRepository(source, destination, 'both references must belong to the same repository');
    const api = await context.client();
    return api.findMergeBase({ repository: source.repository, sourceRef: source.ref, destinationBranch: destination.ref });
  },
  render: ({ base_commit_id: base, source_commit_id: source, destination_commit_id: destination }) =>
    `Found base ${base} from source ${source} and destination ${destination}`,
});
