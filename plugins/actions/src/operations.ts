/** Runs of actions. */

import { Readable } from 'node:stream';
import { isSrvError } from '@srv/kernel';
import {
  after,
  all,
  amount,
  branchArn,
  branchId,
  bytes,
  json,
  listOf,
  may,
  objectArn,
  oneOf,
  operation,
  optional,
  pageRequest,
  presentPage,
  record,
  reply,
  repositoryArn,
  repositoryId,
  text,
} from '@srv/lib-api';
import { eventTypes } from './files/event-types.js';
import { wireTime } from './wire-time.js';
import type { Out } from '@srv/lib-api';
import type { ActionRun, ActionRuns, HookRunFacts } from './contract.js';

const repository = { repository: repositoryId };
const run = { ...repository, run_id: text({ filled: true }) };

/** `running`: only for a run that is requested by its id. Times are RFC 3339. */
const actionRun = record({
  run_id: text(),
  branch: text(),
  start_time: text(),
  end_time: optional(text()),
  event_type: text(),
  status: oneOf('failed', 'completed', 'running'),
  commit_id: text(),
  repeats: optional(text()),
});

const hookRun = record({
  hook_run_id: text(),
  action: text(),
  hook_id: text(),
  start_time: text(),
  end_time: optional(text()),
  status: oneOf('failed', 'completed', 'skipped', 'running'),
});

const mayRead = (input: { readonly repository: string }) => may('ci:ReadAction', repositoryArn(input.repository));

/** Operations by id. */
export type ActionOperations = typeof actionOperations;

const actionOperations = {
  listRepositoryRuns: operation({
    operationId: 'listRepositoryRuns',
    method: 'GET',
    path: '/repositories/{repository}/actions/runs',
    tag: 'actions',
    summary: 'Runs of actions that have ended, newest first',
    params: repository,
    query: { after, amount, branch: optional(text()), commit: optional(text()) },
    status: 200,
    result: json(listOf(actionRun)),
    failures: [404],
    permission: mayRead,
    handler: async ({ services }, input) =>
      presentPage(
        await services.get('actions').list(input.repository, {
          ...pageRequest(input),
          branch: input.branch || undefined,
          commit: input.commit || undefined,
        }),
        presentRun,
      ),
  }),

  getRun: operation({
    operationId: 'getRun',
    method: 'GET',
    path: '/repositories/{repository}/actions/runs/{run_id}',
    tag: 'actions',
    summary: 'One run of actions',
    params: run,
    status: 200,
    result: json(actionRun),
    failures: [404],
    permission: mayRead,
    handler: async ({ services }, input) => presentRun(await services.get('actions').get(input.repository, input.run_id)),
  }),

  listRunHooks: operation({
    operationId: 'listRunHooks',
    method: 'GET',
    path: '/repositories/{repository}/actions/runs/{run_id}/hooks',
    tag: 'actions',
    summary: 'Hooks of a run',
    params: run,
    query: { after, amount },
    status: 200,
    result: json(listOf(hookRun)),
    failures: [404],
    permission: mayRead,
    handler: async ({ services }, input) =>
      presentPage(await services.get('actions').hooks(input.repository, input.run_id, pageRequest(input)), presentHook),
  }),

  getRunHookOutput: operation({
    operationId: 'getRunHookOutput',
    method: 'GET',
    path: '/repositories/{repository}/actions/runs/{run_id}/hooks/{hook_run_id}/output',
    tag: 'actions',
    summary: 'Output of a hook, so far if it still runs',
    params: { ...run, hook_run_id: text({ filled: true }) },
    status: 200,
    result: bytes,
    failures: [404, 410],
    permission: mayRead,
    async handler({ services }, input) {
      const output = await services.get('actions').output(input.repository, input.run_id, input.hook_run_id);
      return reply({
        headers: {
          'Content-Type': 'application/octet-stream',
          'Content-Disposition': `attachment; filename=${input.hook_run_id}.log`,
        },
        stream: { size: output.length, body: Readable.from([output], { objectMode: false }) },
      });
    },
  }),

  runAction: operation({
    operationId: 'runAction',
    method: 'POST',
    path: '/repositories/{repository}/actions/runs',
    tag: 'actions',
    summary: 'Run the hooks of an action file with an example event; answers before they are done',
    params: repository,
    body: record({ action_file: text({ filled: true }), event: oneOf(...eventTypes), branch: branchId }),
    status: 202,
    result: json(record({ run_id: text() })),
    failures: [403, 404],
    // What it takes to have the server run a hook in earnest: to put the file there and to commit.
    permission: input =>
      all(
        mayRead(input),
        may('fs:WriteObject', objectArn(input.repository, '_srv_actions/')),
        may('fs:CreateCommit', branchArn(input.repository, input.body.branch)),
      ),
    async handler({ services, user, committer }, { repository: id, body }) {
      const { action_file: file, event, branch } = body;
      return { run_id: await services.get('actions').run(id, { file, event, branch, user: user.username, committer }) };
    },
  }),

  rerunAction: operation({
    operationId: 'rerunAction',
    method: 'POST',
    path: '/repositories/{repository}/actions/runs/{run_id}/rerun',
    tag: 'actions',
    summary: 'Run the hooks of an ended run again, or one of them; answers before they are done',
    params: run,
    body: record({ hook_run_id: optional(text({ filled: true })) }),
    status: 202,
    result: json(record({ run_id: text() })),
    failures: [403, 404, 409],
    // The branch decides, so the run is read first. Only who may read it learns whether it exists.
    async permission(input, { services }) {
      const branch = await branchOfRun(services.get('actions'), input);
      return all(mayRead(input), may('fs:CreateCommit', branch ? branchArn(input.repository, branch) : repositoryArn(input.repository)));
    },
    async handler({ services, user, committer }, { repository: id, run_id: runId, body }) {
      const { hook_run_id: hookRunId } = body;
      const request = { user: user.username, committer, hookRunId };
      return { run_id: await services.get('actions').again(id, runId, request) };
    },
  }),
};

/** Empty for events of tags, and for unknown runs. */
async function branchOfRun(
  actions: ActionRuns,
  { repository: id, run_id: runId }: { readonly repository: string; readonly run_id: string },
) {
  try {
    return (await actions.get(id, runId)).branch;
  } catch (error) {
    if (isSrvError(error, 'not_found')) return '';
    throw error;
  }
}

function presentRun({ runId, branch, start, end, eventType, status, commitId, repeats }: ActionRun): Out<typeof actionRun> {
  return {
    run_id: runId,
    branch,
    start_time: wireTime(start),
    end_time: end && wireTime(end),
    event_type: eventType,
    status,
    commit_id: commitId,
    repeats,
  };
}

function presentHook({ hookRunId, action, hookId, start, end, status }: HookRunFacts): Out<typeof hookRun> {
  return {
    hook_run_id: hookRunId,
    action,
    hook_id: hookId,
    start_time: wireTime(start),
    end_time: end && wireTime(end),
    status,
  };
}

export default actionOperations;

declare module '@srv/lib-api' {
  interface Operations extends ActionOperations {}
}
