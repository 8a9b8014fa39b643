/** Branch protection. The API knows patterns; what a pattern blocks is fixed. */

import { SrvError } from '@srv/kernel';
import { empty, json, list, may, operation, optional, record, reply, repositoryArn, repositoryId, text } from '@srv/lib-api';
import type { BlockedAction, BranchProtectionRules } from '@srv/engine/contract';

const branchProtectionRule = record({ pattern: text({ filled: true, problem: 'must not be empty' }) });
const params = { repository: repositoryId };
const rules = list(branchProtectionRule);
/** Every rule made here blocks both. */
const blocked: readonly BlockedAction[] = ['staging_write', 'commit'];

const patternsOf = ({ rules }: BranchProtectionRules) => Object.keys(rules).map(pattern => ({ pattern }));
const mayRead = (repository: string) => may('branches:GetBranchProtectionRules', repositoryArn(repository));
const mayWrite = (repository: string) => may('branches:SetBranchProtectionRules', repositoryArn(repository));

/** Operations by id. */
export type ProtectionOperations = typeof protectionOperations;

export const protectionOperations = {
  getBranchProtectionRules: operation({
    operationId: 'getBranchProtectionRules',
    method: 'GET',
    path: '/repositories/{repository}/settings/branch_protection',
    tag: 'repositories',
    summary: 'Protected branch patterns; the ETag header names this state of the rules',
    params,
    status: 200,
    result: json(rules),
    failures: [404],
    permission: input => mayRead(input.repository),
    async handler({ services }, input) {
      const found = await services.get('branchProtection').get(input.repository);
      return reply({ headers: { ETag: found.etag }, body: patternsOf(found) });
    },
  }),

  setBranchProtectionRules: operation({
    operationId: 'setBranchProtectionRules',
    method: 'PUT',
    path: '/repositories/{repository}/settings/branch_protection',
    tag: 'repositories',
    summary: 'Replace the protected branch patterns',
    params,
    headers: { 'If-Match': optional(text()) },
    body: rules,
    status: 204,
    result: empty,
    failures: [403, 404, 412],
    permission: input => mayWrite(input.repository),
    handler: ({ services }, input) =>
      services
        .get('branchProtection')
        .set(input.repository, Object.fromEntries(input.body.map(({ pattern }) => [pattern, blocked])), input['If-Match']),
  }),

  createBranchProtectionRulePreflight: operation({
    operationId: 'createBranchProtectionRulePreflight',
    method: 'GET',
    path: '/repositories/{repository}/branch_protection/set_allowed',
    tag: 'internal',
    summary: 'Whether the caller may change the protected branch patterns',
    params,
    status: 204,
    result: empty,
    failures: [404, 409],
    permission: input => mayWrite(input.repository),
    handler: () => undefined,
  }),

  internalGetBranchProtectionRules: operation({
    operationId: 'internalGetBranchProtectionRules',
    method: 'GET',
    path: '/repositories/{repository}/branch_protection',
    tag: 'internal',
    summary: 'Protected branch patterns',
    deprecated: true,
    params,
    status: 200,
    result: json(rules),
    failures: [404],
    permission: input => mayRead(input.repository),
    handler: async ({ services }, input) => patternsOf(await services.get('branchProtection').get(input.repository)),
  }),

  internalCreateBranchProtectionRule: operation({
    operationId: 'internalCreateBranchProtectionRule',
    method: 'POST',
    path: '/repositories/{repository}/branch_protection',
    tag: 'internal',
    summary: 'Protect one more branch pattern',
    deprecated: true,
    params,
    body: branchProtectionRule,
    status: 204,
    result: empty,
    failures: [404],
    permission: input => mayWrite(input.repository),
    async handler({ services }, input) {
      const { rules, etag } = await services.get('branchProtection').get(input.repository);
      await services.get('branchProtection').set(input.repository, { ...rules, [input.body.pattern]: blocked }, etag);
    },
  }),

  internalDeleteBranchProtectionRule: operation({
    operationId: 'internalDeleteBranchProtectionRule',
    method: 'DELETE',
    path: '/repositories/{repository}/branch_protection',
    tag: 'internal',
    summary: 'Stop protecting a branch pattern',
    deprecated: true,
    params,
    body: record({ pattern: text() }),
    status: 204,
    result: empty,
    failures: [404],
    permission: input => mayWrite(input.repository),
    async handler({ services }, { repository, body: { pattern } }) {
      const { rules, etag } = await services.get('branchProtection').get(repository);
      if (!Object.hasOwn(rules, pattern)) throw new SrvError('not_found', `branch protection rule not found: ${pattern}`);
      await services
        .get('branchProtection')
        .set(repository, Object.fromEntries(Object.entries(rules).filter(([name]) => name !== pattern)), etag);
    },
  }),
};

export default protectionOperations;

declare module '@srv/lib-api' {
  interface Operations extends ProtectionOperations {}
}
