/** Retention rules. The deprecated twins have the paths of earlier clients. */
import {
  empty,
  integer,
  json,
  list,
  may,
  oneOf,
  operation,
  optional,
  record,
  reply,
  repositoryArn,
  repositoryId,
  text,
} from '@srv/lib-api';
import type { Out } from '@srv/lib-api';
import type {} from '../contract.js';
import type { Rules, TagRetention } from '../rules/rules.js';

const params = { repository: repositoryId };
const days = integer({ min: 0, max: 2 ** 31 - 1 });
const wireRules = record({
  default_retention_days: days,
  branches: list(record({ branch_id: text(), retention_days: days })),
  branch_patterns: optional(list(record({ pattern: text(), retention_days: days }))),
  tags: optional(record({ keep: oneOf('none', 'all', 'days'), retention_days: optional(days) })),
  keep_last_commits: optional(days),
});
export type WireRules = Out<typeof wireRules>;

const mayRead = ({ repository }: { readonly repository: string }) => may('retention:GetGarbageCollectionRules', repositoryArn(repository));
const mayWrite = ({ repository }: { readonly repository: string }) => may('retention:SetGarbageCollectionRules', repositoryArn(repository));

function presentRules({ defaultRetentionDays, branches, patterns, tags, keepLastCommits }: Rules): WireRules {
  return {
    default_retention_days: defaultRetentionDays,
    branches: branches.map(rule => ({ branch_id: rule.branchId, retention_days: rule.retentionDays })),
    branch_patterns: patterns?.map(rule => ({ pattern: rule.pattern, retention_days: rule.retentionDays })),
    ...(tags ? { tags: tags.keep === 'days' ? { keep: tags.keep, retention_days: tags.retentionDays } : { keep: tags.keep } } : {}),
    keep_last_commits: keepLastCommits,
  };
}

function rulesOf({ default_retention_days, branches, branch_patterns, tags, keep_last_commits }: WireRules): Rules {
  return {
    defaultRetentionDays: default_retention_days,
    branches: branches.map(rule => ({ branchId: rule.branch_id, retentionDays: rule.retention_days })),
    patterns: branch_patterns?.map(rule => ({ pattern: rule.pattern, retentionDays: rule.retention_days })),
    tags: tags && tagsOf(tags),
    keepLastCommits: keep_last_commits,
  };
}

function tagsOf({ keep, retention_days = 0 }: NonNullable<WireRules['tags']>): TagRetention {
  return keep === 'days' ? { keep, retentionDays: retention_days } : { keep };
}

const read = {
  params,
  status: 200,
  result: json(wireRules),
  failures: [404],
} as const;
const write = { params, body: wireRules, status: 204, result: empty, failures: [403, 404] } as const;
const remove = { params, status: 204, result: empty, failures: [403, 404] } as const;

export const rulesOperations = {
  getGCRules: operation({
    ...read,
    operationId: 'getGCRules',
    method: 'GET',
    path: '/repositories/{repository}/settings/gc_rules',
    tag: 'repositories',
    summary: 'How long objects of old commits stay; the ETag header names this state of the rules',
    permission: mayRead,
    async handler({ services }, input) {
      const { rules, etag } = await services.get('gc').getRules(input.repository);
      return reply({ headers: { ETag: etag }, body: presentRules(rules) });
    },
  }),
  setGCRules: operation({
    ...write,
    headers: { 'If-Match': optional(text()) },
    failures: [...write.failures, 412],
    operationId: 'setGCRules',
    method: 'PUT',
    path: '/repositories/{repository}/settings/gc_rules',
    tag: 'repositories',
    summary: 'Replace the retention rules',
    permission: mayWrite,
    handler: ({ services }, input) => services.get('gc').setRules(input.repository, rulesOf(input.body), input['If-Match']),
  }),
  deleteGCRules: operation({
    ...remove,
    operationId: 'deleteGCRules',
    method: 'DELETE',
    path: '/repositories/{repository}/settings/gc_rules',
    tag: 'repositories',
    summary: 'Remove the retention rules: then every commit stays',
    permission: mayWrite,
    handler: ({ services }, input) => services.get('gc').deleteRules(input.repository),
  }),

  internalGetGarbageCollectionRules: operation({
    ...read,
    operationId: 'internalGetGarbageCollectionRules',
    method: 'GET',
    path: '/repositories/{repository}/gc/rules',
    tag: 'internal',
    summary: 'How long objects of old commits stay',
    deprecated: true,
    permission: mayRead,
    handler: async ({ services }, input) => presentRules((await services.get('gc').getRules(input.repository)).rules),
  }),
  internalSetGarbageCollectionRules: operation({
    ...write,
    operationId: 'internalSetGarbageCollectionRules',
    method: 'POST',
    path: '/repositories/{repository}/gc/rules',
    tag: 'internal',
    summary: 'Replace the retention rules',
    deprecated: true,
    permission: mayWrite,
    handler: ({ services }, input) => services.get('gc').setRules(input.repository, rulesOf(input.body)),
  }),
  internalDeleteGarbageCollectionRules: operation({
    ...remove,
    operationId: 'internalDeleteGarbageCollectionRules',
    method: 'DELETE',
    path: '/repositories/{repository}/gc/rules',
    tag: 'internal',
    summary: 'Remove the retention rules',
    deprecated: true,
    permission: mayWrite,
    handler: ({ services }, input) => services.get('gc').deleteRules(input.repository),
  }),
  setGarbageCollectionRulesPreflight: operation({
    operationId: 'setGarbageCollectionRulesPreflight',
    method: 'GET',
    path: '/repositories/{repository}/gc/rules/set_allowed',
    tag: 'internal',
    summary: 'Whether the caller may change the retention rules',
    params,
    status: 204,
    result: empty,
    failures: [404],
    permission: mayWrite,
    handler: () => undefined,
  }),
};
