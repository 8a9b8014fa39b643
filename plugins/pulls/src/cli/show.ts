import { ApiError } from '@srv/lib-api/client';
import { defineCommand, everything } from '@srv/lib-commands';
import { pullArguments, pullOf } from './arguments.js';
import { checkLines } from './shown.js';
import type { Client } from '@srv/lib-api/client';
import type {} from '../operations/index.js';

export const prShow = defineCommand({
  name: 'pr show',
  summary: 'Show a pull request with its reviewers, checks, approvals and comments',
  examples: ['cli pr show srv://example-repo coddo7tpocvs73ftd7u0'],
  arguments: pullArguments,
  async run(context, input) {
    const at = pullOf(context, input);
    const api = await context.client();
    const [pull, approvals, { results: reviewers }, checks] = await Promise.all([
      api.getPullRequest(at),
      api.getPullRequestApprovals(at),
      api.listPullRequestReviewers(at),
      checksOf(api, at),
    ]);
    const comments = [];
    for await (const comment of everything(page => api.listPullRequestComments({ ...at, ...page }))) comments.push(comment);
    return { ...pull, reviewers, ...(checks ? { checks } : {}), approvals, comments };
  },
  render({ approvals, reviewers, checks, comments, ...pull }) {
    const { required, results } = approvals;
    const names = results.map(({ user }) => user).join(', ');
    const given = `${results.length}${names === '' ? '' : ` (${names})`}`;
    return [
      `${pull.title} (${pull.status})`,
      `${pull.author} wants to merge ${pull.source_branch} into ${pull.destination_branch}`,
      ...(pull.description === '' ? [] : ['', pull.description]),
      ...(reviewers.length === 0 ? [] : [`Reviewers: ${reviewers.map(({ user_id: user }) => user).join(', ')}`]),
      ...(checks && checks.status !== 'none' ? checkLines(checks) : []),
      ...(pull.merged_commit_id === undefined ? [`Approvals: ${given}, ${required} needed`] : [`Merged as ${pull.merged_commit_id}`]),
      ...comments
        .filter(({ deleted }) => !deleted)
        .map(({ id, author, body, parent_id: parent, path, line, resolved }) => {
          const place = path === undefined ? '' : ` on ${path}${line === undefined ? '' : `:${line}`}`;
          return `${parent === undefined ? '' : '  '}${id} ${author}${place}${resolved ? ' (resolved)' : ''}: ${body}`;
        }),
    ].join('\n');
  },
});

/** `undefined` where the caller may read pull requests and no runs. */
async function checksOf(api: Client, at: ReturnType<typeof pullOf>) {
  try {
    return await api.getPullRequestChecks(at);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined;
    throw error;
  }
}
