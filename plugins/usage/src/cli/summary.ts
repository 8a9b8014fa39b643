import { defineCommand } from '@srv/lib-commands';
import { summaryText } from '../summary-text.js';
import type {} from '../operations.js';

export const usageSummary = defineCommand({
  name: 'usage summary',
  summary: 'Summary of requests per month',
  examples: ['cli usage summary', 'cli usage summary -o json'],
  async run(context) {
    return (await context.client()).getUsageReportSummary({});
  },
  render: summary => summaryText(summary).trimEnd(),
});
