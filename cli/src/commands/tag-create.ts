import { argument, commitArgument, defineCommand, sameRepository, tagArgument } from '../define.js';

export const tagCreate = defineCommand({
  name: 'tag create',
  summary: 'Create a new tag in a repository',
  examples: ['cli tag create srv://example-repo/v1.0 srv://example-repo/2397cc9a9d04c20a4e5739b42c1dd3d8ba655c0b3a3b974850895a13d8bf9917'],
  arguments: [tagArgument, commitArgument],
  options: [{ name: 'force', short: 'f', type: 'bool', default: false, description: 'override the tag if it exists' }],
  async run(context, input) {
    const tag = context.uri.ref(argument(input, 0), 'tag URI');
    const commit = context.uri.ref(argument(input, 1), 'commit URI');
    context.echo('Tag ref', tag);
    sameRepository(tag, commit, 'both references must belong to the same repository');
    const api = await context.client();
    const { repository } = tag;
    if (input.options.force === true) {
      // The new target must exist before the old tag goes.
      await api.getCommit({ repository, commitId: commit.ref });
      await api.deleteTag({ repository, tag: tag.ref }).catch(() => {});
    }
    return api.createTag({ repository, body: { id: tag.ref, ref: commit.ref } });
  },
  render: ({ id, commit_id: commitId }) => `Created tag '${id}' (${commitId})`,
});
