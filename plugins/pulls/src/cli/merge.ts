import { defineCommand } from '@srv/lib-commands';
import { pullArguments, pullOf } from './arguments.js';
import type {} from '../operations/index.js';

export const prMerge = defineCommand({
  name: 'pr merge',
  summary: 'Merge the branches of a pull request',
  examples: ['cli pr merge srv://example-repo coddo7tpocvs73ftd7u0'],
  arguments: pullArguments,
  async run(context, input) {
    return (await context.client()).mergePullRequest(pullOf(context, input));
  },
  render: ({ reference }) => `Merged as ${reference}`,
});
