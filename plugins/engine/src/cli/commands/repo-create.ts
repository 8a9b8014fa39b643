import { argument, defineCommand, repositoryArgument, required, textOf } from '@srv/lib-commands';
import type { CommandInput } from '@srv/lib-commands';

/** Only of servers with several block stores. */
export const storageIdOption = {
  name: 'storage-id',
  type: 'string',
  description: 'block store of the repository, where the server has several',
} as const;

/** What the option says, as a member of the body. */
export function storageIdOf(options: CommandInput['options']): { readonly storage_id?: string } {
  const id = textOf(options['storage-id']);
  return id === undefined ? {} : { storage_id: id };
}

export const repoCreate = defineCommand({
  name: 'repo create',
  summary: 'Create a new repository',
  examples: ['cli repo create srv://my-repo s3://my-bucket/path'],
  arguments: [repositoryArgument, required('storage namespace', '<scheme>://<bucket>/<path>')],
  options: [
    { name: 'default-branch', short: 'd', type: 'string', default: 'main', description: 'default branch of the new repository' },
    { name: 'sample-data', type: 'bool', default: false, description: 'include sample data in the repository' },
    storageIdOption,
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
        ...storageIdOf(input.options),
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
