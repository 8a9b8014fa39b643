/** The operations of this server as the page's client needs them: what goes where in a request. */
import type { AnyOperation } from '@srv/lib-api';

/** `[method, path, names of the query, names of headers, kind of body, kind of result]` */
export type OperationRow = readonly [
  method: string,
  path: string,
  query: readonly string[],
  headers: readonly string[],
  body: 'none' | 'json' | 'stream',
  result: string,
];

export function describeOperations(operations: readonly AnyOperation[]): Readonly<Record<string, OperationRow>> {
  return Object.fromEntries(
    operations.map(({ operationId, method, path, query = {}, headers = {}, body, result }) => [
      operationId,
      [
        method,
        path,
        Object.keys(query),
        Object.keys(headers),
        body === undefined ? 'none' : body === 'stream' ? 'stream' : 'json',
        result.kind,
      ] as const,
    ]),
  );
}
