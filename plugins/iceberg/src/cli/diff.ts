import { argument, defineCommand, listed, paginationOptions, refArgument, sameRepository, table } from '@srv/lib-commands';
import type {} from '../operations.js';

const change = (before: string | undefined, after: string | undefined): string =>
  before === after ? (after ?? '') : `${before ?? 'none'} → ${after ?? 'none'}`;

export const icebergDiff = defineCommand({
  name: 'iceberg diff',
  summary: 'List tables that a merge of the second ref into the first would change',
  examples: ['cli iceberg diff srv://example-repo/main srv://example-repo/dev'],
  arguments: [refArgument, refArgument],
  options: [
    ...paginationOptions.filter(({ name }) => name !== 'prefix'),
    { name: 'two-way', type: 'bool', default: false, description: 'compare the refs as they are' },
  ],
  async run(context, input) {
    const [left, right] = [context.uri.ref(argument(input, 0)), context.uri.ref(argument(input, 1))];
    sameRepository(left, right, 'both references must belong to the same repository');
    const { repository } = left;
    const api = await context.client();
    const type = input.options['two-way'] ? 'two_dot' : 'three_dot';
    return listed(context, input, query => api.compareTables({ repository, ref: left.ref, rightRef: right.ref, type, ...query }));
  },
  render: ({ results }, { terminal }) =>
    [
      table(
        ['Change', 'Table', 'Rows', 'Data Files'],
        results.map(found => [
          found.type,
          [...found.namespace, found.name].join('.'),
          change(found.records_before, found.records_after),
          change(found.data_files_before, found.data_files_after),
        ]),
        terminal,
      ),
      ...results.flatMap(({ conflict }) => (conflict === undefined ? [] : [`Conflict: ${conflict}`])),
    ].join('\n'),
});
