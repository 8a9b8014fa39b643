import { argument, defineCommand, formatUri, repositoryArgument, yesOption } from '@srv/lib-commands';

export const repoDelete = defineCommand({
  name: 'repo delete',
  summary: 'Delete an existing repository',
  examples: ['cli repo delete srv://old-repo'],
  arguments: [repositoryArgument],
  options: [yesOption],
  async run(context, input) {
    const uri = context.uri.repository(argument(input, 0));
    context.echo('Repository', uri);
    await context.confirm('Delete repository', `Are you sure you want to delete repository: ${uri.repository}`, input.options.yes);
    const api = await context.client();
    await api.deleteRepository({ repository: uri.repository });
    return { id: formatUri(uri) };
  },
  render: ({ id }) => `Repository '${id}' deleted`,
});
