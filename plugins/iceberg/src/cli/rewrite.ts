import { argument, branchArgument, defineCommand, table } from '@srv/lib-commands';
import type {} from '../operations.js';

export const icebergRewrite = defineCommand({
  name: 'iceberg rewrite',
  summary: 'Give the tables of a branch of a copied repository the addresses of this one',
  examples: ['cli iceberg rewrite srv://example-repo/main --dry-run'],
  arguments: [branchArgument],
  options: [
    { name: 'dry-run', type: 'bool', default: false, description: 'only list the tables that have addresses of another repository' },
  ],
  async run(context, input) {
    const { repository, ref: branch } = context.uri.branch(argument(input, 0));
    const api = await context.client();
    const isDryRun = input.options['dry-run'] === true;
    const results = [];
    for (let after = ''; ; ) {
      const page = await api.rewriteTables({ repository, branch, body: { dry_run: isDryRun, ...(after === '' ? {} : { after }) } });
      results.push(...page.results);
      if (!page.pagination.has_more) return { results, dry_run: isDryRun };
      after = page.pagination.next_offset;
    }
  },
  failed: ({ results }) => results.some(({ problem }) => problem !== undefined),
  render({ results }, { terminal }) {
    if (results.length === 0) return 'No table has addresses of another repository';
    const lines = results.map(({ kind, name, to, problem }) => [
      kind,
      name,
      problem ?? (to === undefined ? 'would be rewritten' : 'rewritten'),
    ]);
    return table(['Kind', 'Name', 'Result'], lines, terminal);
  },
});
