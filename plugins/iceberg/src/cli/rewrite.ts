import { argument, branchArgument, defineCommand, table } from '@srv/lib-commands';
import type {} from '../operations.js';

const places = ['gateway', 'store'] as const;

export const icebergRewrite = defineCommand({
  name: 'iceberg rewrite',
  summary: 'Give the tables of a branch the addresses of its repository, of which it may be a copy, or those of the store',
  examples: ['cli iceberg rewrite srv://example-repo/main --dry-run'],
  arguments: [branchArgument],
  options: [
    {
      name: 'locations',
      type: 'string',
      choices: places,
      description: 'give all tables addresses of this server (gateway) or of the block store (store)',
    },
    { name: 'dry-run', type: 'bool', default: false, description: 'only list the tables that would be rewritten' },
  ],
  async run(context, input) {
    const { repository, ref: branch } = context.uri.branch(argument(input, 0));
    const api = await context.client();
    const isDryRun = input.options['dry-run'] === true;
    const locations = places.find(known => known === input.options['locations']);
    const results = [];
    for (let after = ''; ; ) {
      const page = await api.rewriteTables({
        repository,
        branch,
        body: { dry_run: isDryRun, ...(locations === undefined ? {} : { locations }), ...(after === '' ? {} : { after }) },
      });
      results.push(...page.results);
      if (!page.pagination.has_more) return { results, dry_run: isDryRun };
      after = page.pagination.next_offset;
    }
  },
  failed: ({ results }) => results.some(({ problem }) => problem !== undefined),
  render({ results }, { terminal }) {
    if (results.length === 0) return 'All tables have the right addresses';
    const lines = results.map(({ kind, name, to, problem }) => [
      kind,
      name,
      problem ?? (to === undefined ? 'would be rewritten' : 'rewritten'),
    ]);
    return table(['Kind', 'Name', 'Result'], lines, terminal);
  },
});
