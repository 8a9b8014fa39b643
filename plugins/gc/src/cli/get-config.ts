import { argument, defineCommand, repositoryArgument, table } from '@srv/lib-commands';
import type { WireRules } from '../operations/rules.js';

export const gcGetConfig = defineCommand({
  name: 'gc get-config',
  summary: 'Show the garbage collection rules of a repository',
  examples: ['cli gc get-config srv://example-repo', 'cli gc get-config srv://example-repo --json'],
  arguments: [repositoryArgument],
  options: [{ name: 'json', short: 'p', type: 'bool', default: false, description: 'print the rules as JSON' }],
  async run(context, input): Promise<WireRules> {
    const { repository } = context.uri.repository(argument(input, 0));
    return (await context.client()).getGCRules({ repository });
  },
  render(rules, { terminal }, { options }) {
    if (options.json) return JSON.stringify(rules, undefined, 2);
    const rows = [
      ...rules.branches.map(rule => [rule.branch_id, String(rule.retention_days)]),
      ...(rules.branch_patterns ?? []).map(rule => [`${rule.pattern} (pattern)`, String(rule.retention_days)]),
    ];
    const tags = rules.tags?.keep === 'days' ? `${rules.tags.retention_days ?? 0} days` : rules.tags?.keep;
    return [
      `Default retention days: ${rules.default_retention_days}`,
      ...(tags === undefined ? [] : [`Tags: ${tags}`]),
      ...(rules.keep_last_commits === undefined ? [] : [`Newest commits kept per branch: ${rules.keep_last_commits}`]),
      ...(rows.length === 0 ? [] : [table(['Branch ID', 'Retention Days'], rows, terminal)]),
    ].join('\n');
  },
});
