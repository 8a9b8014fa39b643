/** The operation: differences of two tables as JSON lines. */
import {
  all,
  bytes,
  integer,
  may,
  objectArn,
  oneOf,
  operation,
  optional,
  path,
  ref,
  repeated,
  reply,
  repositoryId,
  text,
} from '@srv/lib-api';
import { tableFormats } from '@srv/lib-records/tables/table-format';

/** Operations by id. */
export type RowDiffOperations = typeof rowDiffOperations;

export const rowDiffOperations = {
  diffRows: operation({
    operationId: 'diffRows',
    method: 'GET',
    path: '/repositories/{repository}/refs/{leftRef}/diff/{rightRef}/rows',
    tag: 'experimental',
    summary: 'Differences of two tables, row by row, as JSON lines',
    params: { repository: repositoryId, leftRef: ref, rightRef: ref },
    query: {
      path,
      right_path: optional(path),
      // A column may have an empty name.
      key: repeated(text()),
      format: optional(oneOf(...tableFormats)),
      limit: optional(integer({ min: 0 })),
    },
    status: 200,
    result: bytes,
    failures: [400, 404, 410],
    permission: ({ repository, path: left, right_path: right }) =>
      all(may('fs:ReadObject', objectArn(repository, left)), may('fs:ReadObject', objectArn(repository, right ?? left))),
    async handler({ services, signal }, { repository, leftRef, rightRef, path: left, right_path: right, key, format, limit }) {
      const stream = await services.get('rowDiffs').compare(repository, {
        left: { ref: leftRef, path: left },
        right: { ref: rightRef, path: right ?? left },
        signal,
        key: key && key.length > 0 ? key : undefined,
        format,
        limit,
      });
      return reply({ headers: { 'Content-Type': 'application/x-ndjson' }, stream });
    },
  }),
};

export default rowDiffOperations;

declare module '@srv/lib-api' {
  interface Operations extends RowDiffOperations {}
}
