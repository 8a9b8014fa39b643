import { argument, defineCommand, repositoryArgument, required, textOf } from '@srv/lib-commands';
import { repoCreate, storageIdOf, storageIdOption } from './repo-create.js';

export const repoCreateBare = defineCommand({
  name: 'repo create-bare',
  summary: 'Create a new repository with no initial branch or commit',
  examples: ['cli repo create-bare srv://bare-repo s3://my-bucket/bare'],
  hidden: true,
  arguments: [repositoryArgument, required('storage namespace', '<scheme>://<bucket>/<path>')],
  options: [
    { name: 'default-branch', short: 'd', type: 'string', default: 'main', description: 'default branch name; the branch is not created' },
    storageIdOption,
  ],
  async run(context, input) {
    const uri = context.uri.repository(argument(input, 0));
    context.echo('Repository', uri);
    const api = await context.client();
    return api.createRepository({
      bare: true,
      body: {
        name: uri.repository,
        storage_namespace: argument(input, 1),
        default_branch: textOf(input.options['default-branch']),
        ...storageIdOf(input.options),
      },
    });
  },
  render: (repository, context, input) => repoCreate.render?.(repository, context, input) ?? '',
});
