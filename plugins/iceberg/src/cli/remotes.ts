/** Other catalogs: `iceberg push`, `iceberg pull`. */
import { argument, defineCommand, required } from '@srv/lib-commands';
import { nameIn, tableArgument } from './table-name.js';
import type { CommandOption } from '@srv/lib-commands';
import type {} from '../operations.js';

const remoteArguments = [
  required('catalog', 'id of a catalog of iceberg_catalog.remotes'),
  required('table there', '<namespace>.<table> in that catalog'),
];
const options: readonly CommandOption[] = [
  { name: 'force', type: 'bool', default: false, description: 'replace the table if it exists' },
  { name: 'create-namespace', type: 'bool', default: false, description: 'create the namespace if it is missing' },
];

function tableThere(name: string) {
  const parts = name.split('.');
  return { namespace: parts.slice(0, -1), table: parts.at(-1) ?? '' };
}

export const icebergPush = defineCommand({
  name: 'iceberg push',
  summary: 'Register a table in another catalog',
  examples: ['cli iceberg push srv://example-repo/main/sales.books partner sales.books --create-namespace'],
  arguments: [tableArgument, ...remoteArguments],
  options,
  async run(context, input) {
    const uri = context.uri.path(argument(input, 0));
    const [catalog, there] = [argument(input, 1), argument(input, 2)];
    const source = { repository_id: uri.repository, reference_id: uri.ref, ...tableThere(nameIn(uri)) };
    const { force, 'create-namespace': creates } = input.options;
    const body = { source, destination: tableThere(there), force_update: force === true, create_namespace: creates === true };
    await (await context.client()).pushTable({ catalog, body });
    return { table: nameIn(uri), catalog, there };
  },
  render: ({ table, catalog, there }) => `Pushed ${table} to ${there} in catalog ${catalog}`,
});

export const icebergPull = defineCommand({
  name: 'iceberg pull',
  summary: 'Make a table of one in another catalog, whose files are in this repository',
  examples: ['cli iceberg pull srv://example-repo/main/sales.books partner sales.books --force'],
  arguments: [tableArgument, ...remoteArguments],
  options,
  async run(context, input) {
    const uri = context.uri.path(argument(input, 0));
    const [catalog, there] = [argument(input, 1), argument(input, 2)];
    const destination = { repository_id: uri.repository, reference_id: uri.ref, ...tableThere(nameIn(uri)) };
    const { force, 'create-namespace': creates } = input.options;
    const body = { source: tableThere(there), destination, force_update: force === true, create_namespace: creates === true };
    await (await context.client()).pullTable({ catalog, body });
    return { table: nameIn(uri), catalog, there };
  },
  render: ({ table, catalog, there }) => `Pulled ${there} of catalog ${catalog} to ${table}`,
});
