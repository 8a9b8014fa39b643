import { argument, defineCommand, keyValues, listOf, numberOf, pathArgument, textOf } from '@srv/lib-commands';
import { statBlock } from './output/objects.js';

export const fsStage = defineCommand({
  name: 'fs stage',
  summary: 'Link an external object with a path in a repository',
  description:
    "Link an external object with a path in a repository, creating an uncommitted change. The object location must be outside the repository's storage namespace.",
  examples: [
    'cli fs stage srv://example-repo/main/linked.png --location s3://bucket/production/1 --checksum c4ca4238a0b923820dcc509a6f75849b --size 1',
  ],
  hidden: true,
  arguments: [pathArgument],
  options: [
    { name: 'checksum', type: 'string', required: true, description: 'object MD5 checksum as a hexadecimal string' },
    { name: 'content-type', type: 'string', description: 'MIME type of contents' },
    {
      name: 'location',
      type: 'string',
      required: true,
      description: 'fully qualified storage location, such as s3://bucket/path/to/object',
    },
    { name: 'meta', type: 'list', description: "key=value pairs for the object's metadata" },
    { name: 'mtime', type: 'int', default: 0, description: 'object modified time (Unix seconds); 0 means now' },
    { name: 'size', type: 'int', required: true, description: 'object size in bytes' },
  ],
  async run(context, input) {
    const { repository, ref, path } = context.uri.path(argument(input, 0));
    const { checksum, location, mtime, size } = input.options;
    const metadata = keyValues(listOf(input.options.meta), 'meta');
    const address = textOf(location) ?? '';
    const contentType = textOf(input.options['content-type']);
    const api = await context.client();
    const { storage_namespace: namespace } = await api.getRepository({ repository });
    if (address.startsWith(`${namespace.replace(/\/$/, '')}/`))
      throw new Error(`location ${address} is inside the repository's storage namespace ${namespace}; only objects outside can be linked`);
    return api.stageObject({
      repository,
      branch: ref,
      path,
      body: {
        checksum: textOf(checksum) ?? '',
        physical_address: address,
        size_bytes: numberOf(size) ?? 0,
        metadata,
        mtime: numberOf(mtime) || undefined,
        content_type: contentType || undefined,
      },
    });
  },
  render: statBlock,
});
