import { defineCommand, everything } from '@srv/lib-commands';
import { pullArguments, pullOf } from './arguments.js';
import type {} from '../operations/index.js';

export const prShow = defineCommand({
  name: 'pr show',
  summary: 'Show a pull request with its approvals and comments',
  examples: ['cli pr show srv://example-repo coddo7tpocvs73ftd7u0'],
  arguments: pullArguments,
  async run(context, input) {
    const at = pullOf(context, input);
    const api = await context.client();
    const [pull, approvals] = await Promise.all([api.getPullRequest(at), api.getPullRequestApprovals(at)]);
    const comments = [];
    for await (const comment of everything(page => api.listPullRequestComments({ ...at, ...page }))) comments.push(comment);
    return { ...pull, approvals, comments };
  },
  render({ approvals, comments, ...pull }) {
    const { required, results } = approvals;
    const names = results.map(({ user }) => user).join(', ');
    const given = `${results.length}${names === '' ? '' : ` (${names})`}`;
    return [
      `${pull.title} (${pull.status})`,
      `${pull.author} wants to merge ${pull.source_branch} into ${pull.destination_branch}`,
      ...(pull.description === '' ? [] : ['', pull.description]),
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
