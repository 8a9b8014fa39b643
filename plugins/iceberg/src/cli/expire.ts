import { argument, defineCommand } from '@srv/lib-commands';
import { nameIn, tableArgument } from './table-name.js';
import type {} from '../operations.js';

export const icebergExpire = defineCommand({
  name: 'iceberg expire',
  summary: 'Expire old snapshots of a table on a branch; garbage collection removes their files',
  examples: ['cli iceberg expire srv://example-repo/main/sales.books --older-than 48h --retain-last 3'],
  arguments: [tableArgument],
  options: [
    { name: 'older-than', type: 'duration', description: 'age of the snapshots; what the table says, or 120h, unless given' },
    {
      name: 'retain-last',
      type: 'int',
      description: 'newest snapshots of each branch of the table that stay; what the table says, or 1, unless given',
    },
    { name: 'dry-run', type: 'bool', default: false, description: 'only list them' },
  ],
  async run(context, input) {
    const uri = context.uri.path(argument(input, 0));
    const { repository, ref: branch } = uri;
    const { 'older-than': age, 'retain-last': retainLast } = input.options;
    const body = {
      name: nameIn(uri),
      dry_run: input.options['dry-run'] === true,
      ...(age === undefined ? {} : { older_than: Math.floor((Date.now() - Number(age)) / 1000) }),
      ...(retainLast === undefined ? {} : { retain_last: Number(retainLast) }),
    };
    return { ...(await (await context.client()).expireSnapshots({ repository, branch, body })), dry_run: body.dry_run };
  },
  render: ({ expired, left, dry_run: isDryRun }) =>
    [`${isDryRun ? 'Would expire' : 'Expired'} ${expired.length} of ${expired.length + left} snapshots`, ...expired].join('\n'),
});
