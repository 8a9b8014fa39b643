/** Uncommitted entries folded into a metarange, so that reads of a branch stay fast however many there are. */
import { branchArn, branchId, empty, flag, json, may, operation, optional, record, repositoryId, text } from '@srv/lib-api';

const params = { repository: repositoryId, branch: branchId };

export const compactionOperations = {
  compactBranch: operation({
    operationId: 'compactBranch',
    method: 'POST',
    path: '/repositories/{repository}/branches/{branch}/compact',
    tag: 'branches',
    summary: 'Fold the uncommitted entries of a branch into a metarange, in the background; nothing else changes by it',
    params,
    status: 202,
    result: empty,
    failures: [404],
    permission: input => may('fs:CreateCommit', branchArn(input.repository, input.branch)),
    async handler({ services }, input) {
      const engine = services.get('engine');
      await engine.getBranch(input.repository, input.branch);
      // Deleted meanwhile: there is nothing to fold.
      void engine.compactBranch(input.repository, input.branch).catch(() => {});
    },
  }),

  getBranchCompaction: operation({
    operationId: 'getBranchCompaction',
    method: 'GET',
    path: '/repositories/{repository}/branches/{branch}/compact',
    tag: 'branches',
    summary: 'Whether uncommitted entries of a branch are folded into a metarange',
    params,
    status: 200,
    result: json(record({ compacted: flag(), meta_range_id: optional(text()) })),
    failures: [404],
    permission: input => may('fs:ReadBranch', branchArn(input.repository, input.branch)),
    async handler({ services }, input) {
      const folded = await services.get('engine').branchCompaction(input.repository, input.branch);
      return { compacted: folded !== undefined, meta_range_id: folded?.metarangeId };
    },
  }),
};
