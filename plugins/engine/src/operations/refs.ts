/** Comparing and merging refs. */

import { isSrvError } from '@srv/kernel';
import {
  after,
  amount,
  branchArn,
  branchId,
  checkedText,
  delimiter,
  flag,
  json,
  listOf,
  may,
  mergeResult,
  metadata,
  oneOf,
  operation,
  optional,
  pageRequest,
  prefix,
  presentPage,
  record,
  ref,
  reply,
  repositoryArn,
  repositoryId,
  text,
  withDefault,
} from '@srv/lib-api';
import { presentDiff } from './present.js';
import { diff } from './wire.js';
import type { OperationContext, Out } from '@srv/lib-api';
import type { MergeRequest, MergeStrategy } from '../contract.js';

export const mergeParams = { repository: repositoryId, sourceRef: ref, destinationBranch: branchId };

/** Names clients use → names of the engine. */
const strategies: Readonly<Record<string, MergeStrategy>> = { '': 'none', 'dest-wins': 'dest-wins', 'source-wins': 'source-wins' };
const strategy = checkedText(name =>
  Object.hasOwn(strategies, name) ? undefined : `invalid merge strategy: ${name}; must be dest-wins, source-wins or empty`,
);

/** How to merge; all of it may be left out. */
export const mergeBody = optional(
  record({
    message: optional(text()),
    metadata: optional(metadata),
    strategy: withDefault(strategy, ''),
    force: withDefault(flag(), false),
    allow_empty: withDefault(flag(), false),
    squash_merge: withDefault(flag(), false),
  }),
);

/** The body as the engine takes it. */
export function mergeRequest(body: Out<typeof mergeBody>, { committer, user }: Pick<OperationContext, 'committer' | 'user'>): MergeRequest {
  return {
    committer,
    user: user.username,
    strategy: strategies[body?.strategy ?? ''] ?? 'none',
    squash: body?.squash_merge ?? false,
    force: body?.force ?? false,
    allowEmpty: body?.allow_empty ?? false,
    message: body?.message || undefined,
    metadata: body?.metadata,
  };
}

export const refOperations = {
  mergeIntoBranch: operation({
    operationId: 'mergeIntoBranch',
    method: 'POST',
    path: '/repositories/{repository}/refs/{sourceRef}/merge/{destinationBranch}',
    tag: 'refs',
    summary: 'Merge a ref into a branch',
    params: mergeParams,
    body: mergeBody,
    status: 200,
    result: json(mergeResult),
    failures: [403, 404, 409, 412],
    permission: input => may('fs:CreateCommit', branchArn(input.repository, input.destinationBranch)),
    async handler(context, { repository, sourceRef, destinationBranch, body }) {
      try {
        const request = { ...mergeRequest(body, context), signal: context.signal };
        const { id } = await context.services.get('engine').merge(repository, sourceRef, destinationBranch, request);
        return { reference: id };
      } catch (error) {
        // A conflict answers the result's own shape: clients decode it before they look for a message.
        if (!isSrvError(error, 'conflict')) throw error;
        const { message } = error;
        return reply({ status: 409, body: { reference: '', ...(message === 'conflict found' ? {} : { message }) } });
      }
    },
  }),

  findMergeBase: operation({
    operationId: 'findMergeBase',
    method: 'GET',
    path: '/repositories/{repository}/refs/{sourceRef}/merge/{destinationBranch}',
    tag: 'refs',
    summary: 'The commit a merge would start from',
    params: { ...mergeParams, destinationBranch: ref },
    status: 200,
    result: json(record({ source_commit_id: text(), destination_commit_id: text(), base_commit_id: text() })),
    failures: [404],
    permission: input => may('fs:ListCommits', repositoryArn(input.repository)),
    async handler({ services }, input) {
      const base = await services.get('engine').findMergeBase(input.repository, input.sourceRef, input.destinationBranch);
      return { source_commit_id: base.sourceCommitId, destination_commit_id: base.destinationCommitId, base_commit_id: base.baseCommitId };
    },
  }),

  diffRefs: operation({
    operationId: 'diffRefs',
    method: 'GET',
    path: '/repositories/{repository}/refs/{leftRef}/diff/{rightRef}',
    tag: 'refs',
    summary: 'Differences of two refs',
    params: { repository: repositoryId, leftRef: ref, rightRef: ref },
    query: {
      after,
      amount,
      prefix,
      delimiter,
      type: withDefault(oneOf('two_dot', 'three_dot'), 'three_dot'),
      include_right_stats: withDefault(flag(), false),
    },
    status: 200,
    result: json(listOf(diff)),
    failures: [404],
    permission: input => may('fs:ListObjects', repositoryArn(input.repository)),
    async handler({ services, signal }, { repository, leftRef, rightRef, type, include_right_stats, ...page }) {
      const found = await services.get('engine').diff(repository, leftRef, rightRef, { ...pageRequest(page), type, signal });
      return presentPage(found, item => presentDiff(item, include_right_stats));
    },
  }),
};
