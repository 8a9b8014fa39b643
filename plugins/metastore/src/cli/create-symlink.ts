import { defineCommand } from '@srv/lib-commands';
import { demand, given, options, textOption } from './options.js';
import type {} from '@srv/engine/operations';

const inputFormat = 'org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat';

export const metastoreCreateSymlink = defineCommand({
  name: 'metastore create-symlink',
  localEffects: true,
  summary: 'Create a Glue table that reads a branch through lists of its objects',
  description:
    'The server writes lists of the objects below a path, and the table of the source becomes one in Glue that reads them: for engines that read the object store directly. Run it again when the branch has changed.',
  examples: [
    'cli metastore create-symlink --repo lakes --branch main --path tables/events --from-client-type hive --from-schema default --from-table events --to-schema lakes --to-table events',
  ],
  options: [
    textOption('branch', 'branch to read'),
    options.catalogId,
    options.fromClientType,
    options.fromSchema,
    options.fromTable,
    textOption('path', 'path of the table on the branch'),
    textOption('repo', 'repository to read'),
    textOption('to-schema', 'target schema'),
    textOption('to-table', 'target table'),
  ],
  async run(context, input) {
    demand(input, 'repo', 'branch', 'path', 'from-schema', 'from-table', 'to-schema', 'to-table');
    const { copyTable, readMetastoreSettings, withMetastores } = await import('./work.js');
    const settings = await readMetastoreSettings(context);
    const source = { database: given(input, 'from-schema'), table: given(input, 'from-table') };
    const [database, table] = [given(input, 'to-schema'), given(input, 'to-table')];
    const fromType = given(input, 'from-client-type');
    const catalog = given(input, 'catalog-id');
    const isGlue = (fromType || settings['metastore.type']) === 'glue';
    const places = { from: { type: fromType, address: isGlue ? catalog : '' }, to: { type: 'glue', address: catalog } };
    await withMetastores(context, settings, places, async (from, to) => {
      const api = await context.client();
      const lists = { repository: given(input, 'repo'), branch: given(input, 'branch'), location: given(input, 'path') };
      const { location: root } = await api.createSymlinkFile(lists);
      await copyTable(from, source, to, {
        database,
        table,
        serde: table,
        rule: { kind: 'symlink', root },
        dbfsRoot: '',
        inputFormat,
        fixSparkPlaceholder: settings['metastore.fix_spark_placeholder'],
      });
    });
    return { from: `${source.database}.${source.table}`, to: `${database}.${table}` };
  },
  render: ({ from, to }) => `create symlink ${from} -> ${to}`,
});
