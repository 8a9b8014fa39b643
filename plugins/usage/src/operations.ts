/** The usage report of the API. */
import { Readable } from 'node:stream';
import { SrvError } from '@srv/kernel';
import { integer, json, list, operation, record, reply, text } from '@srv/lib-api';
import { summaryText } from './summary-text.js';
import type {} from './contract.js';

const month = record({ year: integer(), month: integer(), count: integer() });
const report = record({ installation_id: text(), reports: list(month) });

/** Operations by id. */
export type UsageOperations = typeof usageOperations;

export const usageOperations = {
  getUsageReportSummary: operation({
    operationId: 'getUsageReportSummary',
    method: 'GET',
    path: '/usage-report/summary',
    tag: 'internal',
    summary: 'Requests per month, as JSON, or as text for clients that accept exactly text/plain',
    status: 200,
    result: json(report),
    failures: [404],
    async handler({ services, headers }) {
      const usage = services.find('usage');
      if (!usage) throw new SrvError('not_found', 'usage report is not enabled');
      const { installationId, reports } = await usage.summary();
      const summary = { installation_id: installationId, reports };
      if (headers['accept'] !== 'text/plain') return summary;
      const bytes = Buffer.from(summaryText(summary));
      return reply({
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
        stream: { size: bytes.length, body: Readable.from([bytes]) },
      });
    },
  }),
};

export default usageOperations;

declare module '@srv/lib-api' {
  interface Operations extends UsageOperations {}
}
