import { argument, defineCommand, required } from '@srv/lib-commands';
import { nameIn, tableArgument } from './table-name.js';
import type {} from '../operations.js';

export const icebergRegister = defineCommand({
  name: 'iceberg register',
  summary: 'Make a table of a metadata file, or of a table as another ref has it',
  examples: ['cli iceberg register srv://example-repo/main/sales.copy srv://example-repo/main/sales.books'],
  arguments: [
    tableArgument,
    required('metadata file or table URI', 's3://<repository>/.tables/….metadata.json, or srv://<repository>/<ref>/<namespace>.<table>'),
  ],
  options: [
    { name: 'overwrite', type: 'bool', default: false, description: 'replace the table if it exists' },
    {
      name: 'rewrite',
      type: 'bool',
      default: false,
      description: 'the folder of the table was copied below s3://<repository>/.tables/ from elsewhere: rewrite the addresses in its files',
    },
  ],
  async run(context, input) {
    const uri = context.uri.path(argument(input, 0));
    const { repository, ref: branch } = uri;
    const api = await context.client();
    const source = argument(input, 1);
    const from = source.startsWith('s3://') ? undefined : context.uri.path(source);
    const location = from
      ? (await api.getTable({ repository: from.repository, ref: from.ref, name: nameIn(from) })).metadata_location
      : source;
    const body = {
      name: nameIn(uri),
      metadata_location: location,
      overwrite: input.options.overwrite === true,
      rewrite: input.options.rewrite === true,
    };
    return api.registerTable({ repository, branch, body });
  },
  render: found => `Registered ${[...found.namespace, found.name].join('.')} at ${found.metadata_location}`,
});
