import { UsageError, defineCommand, listOf } from '@srv/lib-commands';
import { pullArguments, pullOf } from './arguments.js';
import type {} from '../operations/index.js';

export const prReviewers = defineCommand({
  name: 'pr reviewers',
  summary: 'Show who is asked to review a pull request, or change that',
  examples: ['cli pr reviewers srv://example-repo coddo7tpocvs73ftd7u0 --add bob,eve'],
  arguments: pullArguments,
  options: [
    { name: 'add', type: 'list', description: 'users to ask' },
    { name: 'remove', type: 'list', description: 'users to ask no longer' },
  ],
  async run(context, input) {
    const at = pullOf(context, input);
    const [added, removed] = [listOf(input.options['add']), listOf(input.options['remove'])];
    const both = added.find(name => removed.includes(name));
    if (both !== undefined) throw new UsageError(`${both} cannot be added and removed at once`);
    const api = await context.client();
    for (const reviewer of removed) await api.removePullRequestReviewer({ ...at, reviewer });
    for (const reviewer of added) await api.requestPullRequestReview({ ...at, reviewer });
    return (await api.listPullRequestReviewers(at)).results;
  },
  render: reviewers =>
    reviewers.length === 0
      ? 'Reviewers: none'
      : reviewers.map(({ user_id: user, requested_by: by, creation_date: at }) => `${user}\tasked by ${by}\t${at}`).join('\n'),
});
