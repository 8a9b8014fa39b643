import { argument, defineCommand, keyValues, listOf, required } from '@srv/lib-commands';
import { nameIn } from './table-name.js';
import type {} from '../operations.js';

export const icebergCreateNamespace = defineCommand({
  name: 'iceberg create-namespace',
  summary: 'Create a namespace of tables on a branch',
  examples: ['cli iceberg create-namespace srv://example-repo/main/stock'],
  arguments: [required('namespace URI', 'srv://<repository>/<branch>/<namespace>')],
  options: [{ name: 'property', type: 'list', description: 'property of the namespace, as name=value; may be repeated' }],
  async run(context, input) {
    const uri = context.uri.path(argument(input, 0));
    const { repository, ref: branch } = uri;
    const properties = keyValues(listOf(input.options.property), 'property', 'name=value');
    return (await context.client()).createTableNamespace({ repository, branch, body: { namespace: nameIn(uri), properties } });
  },
  render: ({ namespace }) => `Created namespace ${namespace.join('.')}`,
});
