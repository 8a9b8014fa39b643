import { defineCommand } from '@srv/lib-commands';
import { demand, given, options, sharedPlaces, textOption } from './options.js';

export const metastoreCopySchema = defineCommand({
  name: 'metastore copy-schema',
  localEffects: true,
  summary: 'Copy a schema, without its tables',
  examples: ['cli metastore copy-schema --from-schema default --to-branch dev'],
  options: [
    options.catalogId,
    options.dbfsRoot,
    options.fromClientType,
    options.fromSchema,
    options.metastoreUri,
    textOption('to-branch', 'branch that the target lies on'),
    options.toClientType,
    textOption('to-schema', 'target schema (default is the branch)'),
  ],
  async run(context, input) {
    demand(input, 'from-schema', 'to-branch');
    const { copyDatabase, readMetastoreSettings, withMetastores } = await import('./work.js');
    const settings = await readMetastoreSettings(context);
    const source = given(input, 'from-schema');
    const branch = given(input, 'to-branch');
    const target = given(input, 'to-schema') || branch;
    const places = sharedPlaces(input, settings['metastore.type']);
    await withMetastores(context, settings, places, (from, to) =>
      copyDatabase({ in: from, name: source }, { in: to, name: target }, { kind: 'branch', branch }, given(input, 'dbfs-root')),
    );
    return { from: source, to: target };
  },
  render: ({ from, to }) => `copy ${from} -> ${to}`,
});
