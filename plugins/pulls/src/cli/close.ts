import { defineCommand } from '@srv/lib-commands';
import { pullArguments, pullOf } from './arguments.js';
import type {} from '../operations/index.js';

export const prClose = defineCommand({
  name: 'pr close',
  summary: 'Close a pull request without a merge, or open it again',
  examples: ['cli pr close srv://example-repo coddo7tpocvs73ftd7u0'],
  arguments: pullArguments,
  options: [{ name: 'reopen', type: 'bool', default: false, description: 'open it again' }],
  async run(context, input) {
    const status = input.options['reopen'] === true ? 'open' : 'closed';
    await (await context.client()).updatePullRequest({ ...pullOf(context, input), body: { status } });
  },
});
