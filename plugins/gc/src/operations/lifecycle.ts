/** Lifecycle: policies that delete branches, rules that expire objects, and the runs that apply them. */
import {
  all,
  empty,
  flag,
  integer,
  json,
  list,
  listOf,
  may,
  oneOf,
  operation,
  optional,
  pageRequest,
  paging,
  presentPage,
  record,
  reply,
  repositoryArn,
  repositoryId,
  taskCreation,
  text,
  timestamp,
} from '@srv/lib-api';
import type { Out } from '@srv/lib-api';
import type { BranchPolicy, LifecycleAction, LifecycleRun, ObjectRule, StoredSettings } from '../contract.js';

const params = { repository: repositoryId };
const ifMatch = { 'If-Match': optional(text()) };
const base = '/repositories/{repository}';

const wirePolicy = record({
  id: optional(text()),
  name_patterns: list(text(), { min: 1 }),
  max_age: optional(integer({ min: 1 })),
  max_inactivity_time: optional(integer({ min: 1 })),
  description: optional(text()),
});
const wirePolicies = record({ policies: list(wirePolicy) });
const wireRule = record({
  id: text(),
  branches: list(text(), { min: 1 }),
  prefix: text(),
  expire_after_days: integer({ min: 1 }),
  description: optional(text()),
});
const wireRules = record({ rules: list(wireRule) });
const wireAction = record({
  kind: oneOf('branch_deleted', 'objects_deleted', 'skipped'),
  branch: text(),
  rules: optional(list(text())),
  commit_id: optional(text()),
  objects: optional(integer()),
  reason: optional(text()),
});
const wireRun = record({
  id: text(),
  phase: oneOf('running', 'done', 'failed'),
  dry_run: flag(),
  user: text(),
  started_at: timestamp,
  ended_at: optional(timestamp),
  branches: integer(),
  objects: integer(),
  skipped: integer(),
  actions: list(wireAction),
  error: optional(text()),
});
export type WirePolicies = Out<typeof wirePolicies>;
export type WireObjectRules = Out<typeof wireRules>;
export type WireLifecycleRun = Out<typeof wireRun>;

type Input = { readonly repository: string };
const on = (action: string) => (input: Input) => may(`retention:${action}`, repositoryArn(input.repository));
const [mayGetPolicies, maySetPolicies] = [on('GetBranchLifecyclePolicies'), on('SetBranchLifecyclePolicies')];
const [mayGetRules, maySetRules] = [on('GetObjectLifecycleRules'), on('SetObjectLifecycleRules')];
const mayLook = (input: Input) => all(mayGetPolicies(input), mayGetRules(input));

export const lifecycleOperations = {
  getBranchLifecyclePolicies: operation({
    operationId: 'getBranchLifecyclePolicies',
    method: 'GET',
    path: `${base}/settings/branch_lifecycle/policies`,
    tag: 'repositories',
    summary: 'Policies that delete branches; the ETag header names this state of them',
    params,
    status: 200,
    result: json(wirePolicies),
    failures: [404],
    permission: mayGetPolicies,
    handler: async ({ services }, input) => presentPolicies(await services.get('lifecycle').getBranchPolicies(input.repository)),
  }),

  setBranchLifecyclePolicies: operation({
    operationId: 'setBranchLifecyclePolicies',
    method: 'PUT',
    path: `${base}/settings/branch_lifecycle/policies`,
    tag: 'repositories',
    summary: 'Replace the policies that delete branches; of several that match a name the first decides',
    params,
    headers: ifMatch,
    body: wirePolicies,
    status: 200,
    result: json(wirePolicies),
    failures: [403, 404, 412],
    permission: maySetPolicies,
    async handler({ services }, input) {
      const policies = input.body.policies.map(policyOf);
      return presentPolicies(await services.get('lifecycle').setBranchPolicies(input.repository, policies, input['If-Match']));
    },
  }),

  deleteBranchLifecyclePolicies: operation({
    operationId: 'deleteBranchLifecyclePolicies',
    method: 'DELETE',
    path: `${base}/settings/branch_lifecycle/policies`,
    tag: 'repositories',
    summary: 'Remove the policies that delete branches',
    params,
    status: 204,
    result: empty,
    failures: [403, 404],
    permission: maySetPolicies,
    handler: ({ services }, input) => services.get('lifecycle').deleteBranchPolicies(input.repository),
  }),

  setBranchLifecyclePoliciesPreflight: operation({
    operationId: 'setBranchLifecyclePoliciesPreflight',
    method: 'GET',
    path: `${base}/settings/branch_lifecycle/set_allowed`,
    tag: 'internal',
    summary: 'Whether the caller may change the policies that delete branches',
    params,
    status: 204,
    result: empty,
    failures: [404],
    permission: maySetPolicies,
    handler: () => undefined,
  }),

  getObjectLifecycleRules: operation({
    operationId: 'getObjectLifecycleRules',
    method: 'GET',
    path: `${base}/settings/object_lifecycle`,
    tag: 'repositories',
    summary: 'Rules by which objects expire; the ETag header names this state of them',
    params,
    status: 200,
    result: json(wireRules),
    failures: [404],
    permission: mayGetRules,
    handler: async ({ services }, input) => presentRules(await services.get('lifecycle').getObjectRules(input.repository)),
  }),

  setObjectLifecycleRules: operation({
    operationId: 'setObjectLifecycleRules',
    method: 'PUT',
    path: `${base}/settings/object_lifecycle`,
    tag: 'repositories',
    summary: 'Replace the rules by which objects expire; of several for an object the shortest time counts',
    params,
    headers: ifMatch,
    body: wireRules,
    status: 204,
    result: empty,
    failures: [403, 404, 412],
    permission: maySetRules,
    async handler({ services }, input) {
      await services.get('lifecycle').setObjectRules(input.repository, input.body.rules.map(ruleOf), input['If-Match']);
    },
  }),

  deleteObjectLifecycleRules: operation({
    operationId: 'deleteObjectLifecycleRules',
    method: 'DELETE',
    path: `${base}/settings/object_lifecycle`,
    tag: 'repositories',
    summary: 'Remove the rules by which objects expire',
    params,
    status: 204,
    result: empty,
    failures: [403, 404],
    permission: maySetRules,
    handler: ({ services }, input) => services.get('lifecycle').deleteObjectRules(input.repository),
  }),

  startLifecycleRun: operation({
    operationId: 'startLifecycleRun',
    method: 'POST',
    path: `${base}/lifecycle/runs`,
    tag: 'repositories',
    summary: 'Apply policies and rules now, or with dry_run only find out what they would do; answers before that is done',
    params,
    body: record({ dry_run: optional(flag()) }),
    status: 202,
    result: json(taskCreation),
    failures: [403, 404, 409],
    permission: input => (input.body.dry_run === true ? mayLook(input) : all(maySetPolicies(input), maySetRules(input))),
    handler: async ({ services, user }, input) => ({
      id: await services.get('lifecycle').start(input.repository, { dryRun: input.body.dry_run === true, user: user.username }),
    }),
  }),

  listLifecycleRuns: operation({
    operationId: 'listLifecycleRuns',
    method: 'GET',
    path: `${base}/lifecycle/runs`,
    tag: 'repositories',
    summary: 'Runs of the lifecycle with what they did, newest first',
    params,
    query: { after: paging.after, amount: paging.amount },
    status: 200,
    result: json(listOf(wireRun)),
    failures: [404],
    permission: mayLook,
    handler: async ({ services }, input) =>
      presentPage(await services.get('lifecycle').listRuns(input.repository, pageRequest(input)), presentRun),
  }),

  getLifecycleRun: operation({
    operationId: 'getLifecycleRun',
    method: 'GET',
    path: `${base}/lifecycle/runs/{run}`,
    tag: 'repositories',
    summary: 'One run of the lifecycle with what it did',
    params: { ...params, run: text({ filled: true }) },
    status: 200,
    result: json(wireRun),
    failures: [404],
    permission: mayLook,
    handler: async ({ services }, input) => presentRun(await services.get('lifecycle').getRun(input.repository, input.run)),
  }),
};

function policyOf({ id, name_patterns, max_age, max_inactivity_time, description }: Out<typeof wirePolicy>): BranchPolicy {
  return {
    id,
    namePatterns: name_patterns,
    maxAge: max_age,
    maxInactivity: max_inactivity_time,
    description,
  };
}

function presentPolicies({ items, etag }: StoredSettings<BranchPolicy>) {
  const policies = items.map(({ namePatterns, maxAge, maxInactivity, ...rest }) => ({
    name_patterns: namePatterns,
    max_age: maxAge,
    max_inactivity_time: maxInactivity,
    ...rest,
  }));
  return reply({ headers: { ETag: etag }, body: { policies } });
}

const ruleOf = ({ expire_after_days, description, ...rest }: Out<typeof wireRule>): ObjectRule => ({
  ...rest,
  expireAfterDays: expire_after_days,
  description,
});

function presentRules({ items, etag }: StoredSettings<ObjectRule>) {
  const rules = items.map(({ expireAfterDays, ...rest }) => ({ expire_after_days: expireAfterDays, ...rest }));
  return reply({ headers: { ETag: etag }, body: { rules } });
}

function presentRun({ dryRun, startedAt, endedAt, actions, ...rest }: LifecycleRun): WireLifecycleRun {
  return {
    ...rest,
    dry_run: dryRun,
    started_at: startedAt.toISOString(),
    ended_at: endedAt?.toISOString(),
    actions: actions.map(presentAction),
  };
}

const presentAction = ({ commitId, ...rest }: LifecycleAction): Out<typeof wireAction> => ({
  ...rest,
  commit_id: commitId,
});
