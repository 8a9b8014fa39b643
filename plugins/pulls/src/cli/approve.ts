import { defineCommand, textOf } from '@srv/lib-commands';
import { pullArguments, pullOf } from './arguments.js';
import type {} from '../operations/index.js';

export const prApprove = defineCommand({
  name: 'pr approve',
  summary: 'Approve a pull request as its source is now, or take approvals back',
  description: 'An approval counts for one commit: when the source moves, it has to be given again.',
  examples: ['cli pr approve srv://example-repo coddo7tpocvs73ftd7u0', 'cli pr approve srv://example-repo coddo7tpocvs73ftd7u0 --withdraw'],
  arguments: pullArguments,
  options: [
    { name: 'commit', type: 'string', description: 'fail unless the source is at this commit' },
    { name: 'withdraw', type: 'bool', default: false, description: 'take the own approvals back, also of earlier commits' },
  ],
  async run(context, input) {
    const at = pullOf(context, input);
    const api = await context.client();
    const commit = textOf(input.options['commit']);
    if (input.options['withdraw'] === true) await api.withdrawPullRequestApproval(at);
    else await api.approvePullRequest({ ...at, body: commit === undefined ? {} : { commit_id: commit } });
    return api.getPullRequestApprovals(at);
  },
  render: ({ required, results, commit_id: commit }) => `Commit ${commit} has ${results.length} approvals, ${required} needed`,
});
