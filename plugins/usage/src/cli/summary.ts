import { defineCommand, table } from '@srv/lib-commands';
import type {} from '../operations.js';

export const usageSummary = defineCommand({
  name: 'usage summary',
  summary: 'Summary of requests per month',
  examples: ['cli usage summary', 'cli usage summary -o json'],
  async run(context) {
    return (await context.client()).getUsageReportSummary({});
  },
  render: ({ installation_id: id, reports }, { terminal }) => {
    const rows = reports.map(({ year, month, count }) => [String(year), String(month), String(count)]);
    return `Usage for installation ID: ${id}\n\n${table(['Year', 'Month', 'Usage'], rows, terminal)}`;
  },
});
