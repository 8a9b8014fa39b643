import { argument, defineCommand, tagArgument } from '@srv/lib-commands';

export const tagShow = defineCommand({
  name: 'tag show',
  summary: "Show tag's commit reference",
  examples: ['cli tag show srv://example-repo/v1'],
  arguments: [tagArgument],
  async run(context, input) {
    const uri = context.uri.ref(argument(input, 0), 'tag URI');
    context.echo('Tag', uri);
    const api = await context.client();
    return api.getTag({ repository: uri.repository, tag: uri.ref });
  },
  render: ({ id, commit_id: commitId }) => `${id} ${commitId}`,
});
