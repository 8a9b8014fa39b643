import { argument, defineCommand, keyValues, listOf, pathArgument } from '@srv/lib-commands';

export const fsUpdateMetadata = defineCommand({
  name: 'fs update-metadata',
  summary: 'Update user metadata on the specified object',
  description: 'Replace all user metadata of an object, keeping its contents.',
  examples: ['cli fs update-metadata srv://example-repo/main/images/a.png --metadata camera=x100,iso=200'],
  hidden: true,
  arguments: [pathArgument],
  options: [{ name: 'metadata', type: 'list', description: 'user metadata: key1=value1,key2=value2' }],
  async run(context, input) {
    const { repository, ref, path } = context.uri.path(argument(input, 0));
    const set = keyValues(listOf(input.options.metadata), 'metadata');
    const api = await context.client();
    await api.updateObjectUserMetadata({ repository, branch: ref, path, body: { set } });
  },
});
