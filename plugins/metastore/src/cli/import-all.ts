import { defineCommand } from '@srv/lib-commands';
import { copiedText, demand, given, options, textOption } from './options.js';

export const metastoreImportAll = defineCommand({
  name: 'metastore import-all',
  localEffects: true,
  summary: 'Copy all tables from one metastore to another, for data that was imported into a repository',
  description:
    'Like metastore copy-all, for tables whose data is outside of a repository: a location scheme://bucket/path becomes scheme://<repo>/<branch>/path. Import the data with cli import.',
  examples: ['cli metastore import-all --from-client-type glue --to-client-type hive --to-address two:9083 --repo lakes --branch main'],
  options: [
    textOption('branch', 'branch the data were imported into'),
    options.continueOnError,
    options.dbfsRoot,
    options.fromAddress,
    options.fromClientType,
    textOption('repo', 'repository the data were imported into'),
    options.schemaFilter,
    options.tableFilter,
    options.toAddress,
    options.toClientType,
  ],
  async run(context, input) {
    demand(input, 'to-address', 'branch', 'repo');
    const { copyMany } = await import('./work.js');
    return copyMany(context, input, { kind: 'import', repository: given(input, 'repo'), branch: given(input, 'branch') });
  },
  render: copiedText,
});
