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
import type { Engine } from '../contract.js';
import type { PrefixCopyRequest } from '../objects/contract.js';

type Confirm = NonNullable<PrefixCopyRequest['confirm']>;

interface Wanted {
  readonly repository: string;
  readonly body: { readonly from: string; readonly to: string; readonly exact: boolean; readonly move: boolean };
}

interface Demanded extends Wanted {
  readonly source: string;
  readonly confirm: Confirm;
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
      const { src_ref: source = branch, ...request } = body;
      const engine = context.services.get('engine');
      const hasPolicies = context.services.get('identity').rbac !== 'none';
      const confirm = hasPolicies ? rightsOf(context, { repository, body }) : undefined;
      if (confirm) await demandEach(engine, { repository, source, body, confirm });
      return engine.copyPrefix(repository, branch, { ...request, source, confirm, signal: context.signal });
    },
  }),
};

/** @returns what throws SrvError `denied` for an object that may not be read, written at its new path, or deleted when it moves. */
function rightsOf({ decide }: OperationContext, { repository, body: { move } }: Pick<Wanted, 'repository' | 'body'>): Confirm {
  return (path, copy) =>
    demand(
      decide,
      all(
        may('fs:ReadObject', objectArn(repository, path)),
        may('fs:WriteObject', objectArn(repository, copy)),
        ...(move ? [may('fs:DeleteObject', objectArn(repository, path))] : []),
      ),
    );
}

/**
 * Policies may name single objects, so the right on a prefix says nothing about what lies below it: every object is asked
 * for before the first one is copied, and again right before it is copied itself, since further ones may have appeared.
 */
async function demandEach(engine: Engine, { repository, source, body: { from, to, exact }, confirm }: Demanded): Promise<void> {
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await engine.list(repository, source, { prefix: from, after, amount: exact ? 1 : 1000 });
    for (const { path } of results) {
      if (exact && path !== from) return;
      await confirm(path, to + path.slice(from.length));
    }
    if (!hasMore || exact) return;
    after = nextOffset;
  }
}
