/** Copying and moving everything below a prefix. */

import {
  all,
  branchId,
  demand,
  flag,
  integer,
  json,
  may,
  objectArn,
  operation,
  optional,
  record,
  ref,
  repositoryArn,
  repositoryId,
  text,
  withDefault,
} from '@srv/lib-api';
import type { OperationContext } from '@srv/lib-api';

interface Wanted {
  readonly repository: string;
  readonly branch: string;
  readonly body: {
    readonly from: string;
    readonly to: string;
    readonly move: boolean;
    readonly exact: boolean;
    readonly src_ref?: string | undefined;
  };
}

const prefix = text({ maxBytes: 1024, problem: 'prefix: invalid value: validation error; at most 1024 bytes' });

export const prefixOperations = {
  copyPrefix: operation({
    operationId: 'copyPrefix',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/objects/prefix',
    tag: 'experimental',
    summary: 'Copy or move an object, or everything below a prefix, within a repository; no bytes are copied',
    params: { repository: repositoryId, branch: branchId },
    body: record({
      from: prefix,
      to: prefix,
      exact: withDefault(flag(), false),
      src_ref: optional(ref),
      move: withDefault(flag(), false),
      force: withDefault(flag(), false),
    }),
    status: 200,
    result: json(record({ objects: integer({ min: 0 }) })),
    failures: [403, 404, 409],
    permission: input => may('fs:ListObjects', repositoryArn(input.repository)),
    async handler(context, { repository, branch, body }) {
      await demandEach(context, { repository, branch, body });
      const { src_ref: source = branch, ...request } = body;
      return context.services.get('engine').copyPrefix(repository, branch, { ...request, source, signal: context.signal });
    },
  }),
};

/**
 * Policies may name single objects, so the right on a prefix says nothing about what lies below it: every object is asked
 * for before the first one is copied.
 * @throws SrvError `denied` for the first object that may not be read, written at its new path, or deleted when it moves.
 */
async function demandEach({ services, decide }: OperationContext, { repository, branch, body }: Wanted): Promise<void> {
  if (services.get('identity').rbac === 'none') return;
  const { from, to, move, exact, src_ref: source = branch } = body;
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await services
      .get('engine')
      .list(repository, source, { prefix: from, after, amount: exact ? 1 : 1000 });
    for (const { path } of results) {
      if (exact && path !== from) return;
      await demand(
        decide,
        all(
          may('fs:ReadObject', objectArn(repository, path)),
          may('fs:WriteObject', objectArn(repository, to + path.slice(from.length))),
          ...(move ? [may('fs:DeleteObject', objectArn(repository, path))] : []),
        ),
      );
    }
    if (!hasMore || exact) return;
    after = nextOffset;
  }
}
