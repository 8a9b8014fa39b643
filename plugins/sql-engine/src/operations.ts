/** The operation: SQL over objects and over the index of their metadata. */

import { isSrvError } from '@srv/kernel';
import { bytes, flag, integer, oneOf, operation, optional, record, reply, text, withDefault } from '@srv/lib-api';
import { resultFormats } from './contract.js';
import type { ResultFormat } from './contract.js';

const contentTypes: Readonly<Record<ResultFormat, string>> = {
  parquet: 'application/vnd.apache.parquet',
  json: 'application/json',
  csv: 'text/csv; charset=utf-8',
  text: 'application/x-ndjson',
  lines: 'application/x-ndjson',
};

/** Bytes of a query. */
const maxBytes = 100_000;

/** Operations by id. */
export type SqlEngineOperations = typeof sqlEngineOperations;

export const sqlEngineOperations = {
  runMDSQuery: operation({
    operationId: 'runMDSQuery',
    method: 'POST',
    path: '/mds/query',
    tag: 'experimental',
    summary: 'Run a query over objects and their metadata; the result is a Parquet file, or another format where it is named',
    body: record({
      sql: text({ filled: true, maxBytes }),
      format: withDefault(oneOf(...resultFormats), 'parquet'),
      limit: optional(integer({ min: 0, max: 1_000_000_000 })),
      uncommitted: withDefault(flag(), false),
    }),
    status: 200,
    result: bytes,
    failures: [400, 404, 410, 429, 501, 503, 504],
    // What the query names decides.
    async handler({ services, signal, decide }, { body: { sql, format, limit, uncommitted } }) {
      try {
        const request = { sql, format, uncommitted, signal, decide, limit };
        const result = await services.get('sqlEngine').query(request);
        const headers = { 'Content-Type': contentTypes[format] };
        return reply({ headers, stream: result });
      } catch (error) {
        // Clients know that status for a query that takes long.
        if (isSrvError(error, 'timeout')) return reply({ status: 504, body: { message: error.message } });
        throw error;
      }
    },
  }),
};

export default sqlEngineOperations;

declare module '@srv/lib-api' {
  interface Operations extends SqlEngineOperations {}
}
