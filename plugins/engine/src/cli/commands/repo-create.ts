import { argument, defineCommand, repositoryArgument, required, textOf } from '@srv/lib-commands';

export const repoCreate = defineCommand({
  name: 'repo create',
  summary: 'Create a new repository',
  examples: ['cli repo create srv://my-repo s3://my-bucket/path'],
  arguments: [repositoryArgument, required('storage namespace', '<scheme>://<bucket>/<path>')],
  options: [
    { name: 'default-branch', short: 'd', type: 'string', default: 'main', description: 'default branch of the new repository' },
    { name: 'sample-data', type: 'bool', default: false, description: 'include sample data in the repository' },
  ],
  async run(context, input) {
    const uri = context.uri.repository(argument(input, 0));
    context.echo('Repository', uri);
    const api = await context.client();
    return api.createRepository({
      body: {
        name: uri.repository,
        storage_namespace: argument(input, 1),
        default_branch: textOf(input.options['default-branch']),
        sample_data: input.options['sample-data'] === true,
      },
    });
  },
  render: ({ id, storage_namespace: namespace, default_branch: branch, creation_date: date }, _context, { options }) =>
    [
      `Repository '${id}' created:`,
      `storage namespace: ${namespace}`,
      `default branch: ${branch}`,
      // Unix time, which scripts read.
      `timestamp: ${date}`,
      ...(options['sample-data'] === true ? ['sample data included'] : []),
    ].join('\n'),
});
