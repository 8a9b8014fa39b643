/** Operations on the settings of pull requests. */
import { empty, flag, integer, json, list, may, operation, optional, record, repositoryArn, repositoryId, text } from '@srv/lib-api';

const rule = record({ pattern: text(), approvals: integer({ min: 1 }) });
const params = { repository: repositoryId };
const path = '/repositories/{repository}/settings/pull_request';

export const settingsOperations = {
  getPullRequestSettings: operation({
    operationId: 'getPullRequestSettings',
    method: 'GET',
    path,
    tag: 'pulls',
    summary: 'Whether merges delete the source, and how many approvals branches need',
    params,
    status: 200,
    result: json(record({ delete_source_branch_on_merge: flag(), required_approvals: list(rule) })),
    failures: [404],
    permission: input => may('branches:GetBranchProtectionRules', repositoryArn(input.repository)),
    async handler({ services }, input) {
      const { deleteSourceOnMerge, rules } = await services.get('pulls').settings.get(input.repository);
      return { delete_source_branch_on_merge: deleteSourceOnMerge, required_approvals: rules };
    },
  }),

  setPullRequestSettings: operation({
    operationId: 'setPullRequestSettings',
    method: 'PUT',
    path,
    tag: 'pulls',
    summary: 'Change these settings; what is left out stays as it is',
    params,
    body: record({ delete_source_branch_on_merge: optional(flag()), required_approvals: optional(list(rule)) }),
    status: 204,
    result: empty,
    failures: [403, 404],
    permission: input => may('branches:SetBranchProtectionRules', repositoryArn(input.repository)),
    handler: ({ services }, { repository, body }) =>
      services.get('pulls').settings.set(repository, {
        deleteSourceOnMerge: body.delete_source_branch_on_merge,
        rules: body.required_approvals,
      }),
  }),
};
