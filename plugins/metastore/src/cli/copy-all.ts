import { defineCommand } from '@srv/lib-commands';
import { copiedText, demand, given, options, textOption } from './options.js';

export const metastoreCopyAll = defineCommand({
  name: 'metastore copy-all',
  localEffects: true,
  summary: 'Copy all tables from one metastore to another',
  description: 'Missing schemas are created and existing tables are merged. Run the same command again to complete an interrupted run.',
  examples: [
    'cli metastore copy-all --from-client-type hive --from-address one:9083 --to-client-type hive --to-address two:9083 --branch dev',
  ],
  options: [
    textOption('branch', 'branch that the copies read'),
    options.continueOnError,
    options.dbfsRoot,
    options.fromAddress,
    options.fromClientType,
    options.schemaFilter,
    options.tableFilter,
    options.toAddress,
    options.toClientType,
  ],
  async run(context, input) {
    demand(input, 'to-address', 'branch');
    const { copyMany } = await import('./work.js');
    return copyMany(context, input, { kind: 'branch', branch: given(input, 'branch') });
  },
  render: copiedText,
});
