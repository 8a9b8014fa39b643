/** Operations on the checks of pull requests: hooks of `pre-merge`. A failed one runs again by `rerunAction` of the plugin actions. */
import {
  all,
  branchArn,
  json,
  list,
  may,
  oneOf,
  operation,
  optional,
  pullRequestId,
  record,
  repositoryArn,
  repositoryId,
  text,
} from '@srv/lib-api';
import { authorOf } from './author.js';
import type { Out } from '@srv/lib-api';
import type { Check } from '../contract.js';

const check = record({
  run_id: text(),
  hook_run_id: text(),
  action: text(),
  hook_id: text(),
  status: oneOf('completed', 'failed', 'skipped', 'running'),
  start_time: text(),
  end_time: optional(text()),
});
const params = { repository: repositoryId, pull_request: pullRequestId };
const path = '/repositories/{repository}/pulls/{pull_request}/checks';

export const checkOperations = {
  getPullRequestChecks: operation({
    operationId: 'getPullRequestChecks',
    method: 'GET',
    path,
    tag: 'pulls',
    summary: 'Newest results of the hooks that check the merge, for the head of the source',
    params,
    status: 200,
    result: json(record({ commit_id: text(), status: oneOf('none', 'running', 'failed', 'passed'), results: list(check) })),
    failures: [404],
    permission: ({ repository }) =>
      all(may('pr:ReadPullRequest', repositoryArn(repository)), may('ci:ReadAction', repositoryArn(repository))),
    async handler({ services }, input) {
      const { commitId, status, checks } = await services.get('pulls').checks.state(input.repository, input.pull_request);
      return { commit_id: commitId, status, results: checks.map(present) };
    },
  }),

  runPullRequestChecks: operation({
    operationId: 'runPullRequestChecks',
    method: 'POST',
    path,
    tag: 'pulls',
    summary: 'Run the hooks that a merge would ask, without merging; answers before they are done',
    params,
    status: 202,
    result: json(record({ run_id: text() })),
    failures: [403, 404, 409],
    // Hooks are those of the source: who commits to either branch can have them run anyway.
    async permission({ repository, pull_request: id }, { services }) {
      const { source, destination } = await services.get('pulls').get(repository, id);
      const mayCommit = (branch: string) => may('fs:CreateCommit', branchArn(repository, branch));
      return all(may('pr:WritePullRequest', repositoryArn(repository)), may('ci:ReadAction', repositoryArn(repository)), {
        any: [mayCommit(source), mayCommit(destination)],
      });
    },
    handler: async (context, input) => ({
      run_id: await context.services.get('pulls').checks.run(input.repository, input.pull_request, authorOf(context)),
    }),
  }),
};

function present({ runId, hookRunId, action, hookId, status, start, end }: Check): Out<typeof check> {
  return {
    run_id: runId,
    hook_run_id: hookRunId,
    action,
    hook_id: hookId,
    status,
    start_time: start.toISOString(),
    end_time: end?.toISOString(),
  };
}
