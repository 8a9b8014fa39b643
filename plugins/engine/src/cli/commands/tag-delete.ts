import { argument, defineCommand, tagArgument, yesOption } from '@srv/lib-commands';

export const tagDelete = defineCommand({
  name: 'tag delete',
  summary: 'Delete a tag from a repository',
  examples: ['cli tag delete srv://example-repo/v1'],
  arguments: [tagArgument],
  options: [yesOption],
  async run(context, input) {
    const uri = context.uri.ref(argument(input, 0), 'tag URI');
    context.echo('Tag', uri);
    await context.confirm('Delete tag', 'Are you sure you want to delete tag', input.options.yes);
    const api = await context.client();
    await api.deleteTag({ repository: uri.repository, tag: uri.ref });
  },
});
