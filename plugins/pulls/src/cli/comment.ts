import { UsageError, argument, defineCommand, numberOf, required, textOf } from '@srv/lib-commands';
import { pullArguments, pullOf } from './arguments.js';
import type {} from '../operations/index.js';

export const prComment = defineCommand({
  name: 'pr comment',
  summary: 'Comment on a pull request, or resolve a thread',
  examples: [
    'cli pr comment srv://example-repo coddo7tpocvs73ftd7u0 "Looks good"',
    'cli pr comment srv://example-repo coddo7tpocvs73ftd7u0 "Why empty?" --path tables/a.csv --line 7',
  ],
  arguments: [...pullArguments, required('text', 'the comment')],
  options: [
    { name: 'path', type: 'string', description: 'object that the comment is about' },
    { name: 'line', type: 'int', description: 'line or row of that object, from 1 on' },
    { name: 'reply-to', type: 'string', description: 'id of the comment that begins the thread' },
    { name: 'resolve', type: 'bool', default: false, description: 'with --reply-to: resolve the thread, too' },
  ],
  async run(context, input) {
    const at = pullOf(context, input);
    const { path, line, resolve, 'reply-to': reply } = input.options;
    const [object, number, parent] = [textOf(path), numberOf(line), textOf(reply)];
    if (resolve === true && parent === undefined) throw new UsageError('--resolve needs --reply-to: the comment that begins the thread');
    const api = await context.client();
    const made = await api.createPullRequestComment({
      ...at,
      body: {
        body: argument(input, 2),
        path: object,
        line: number,
        parent_id: parent,
      },
    });
    if (resolve === true && parent !== undefined) await api.updatePullRequestComment({ ...at, comment: parent, body: { resolved: true } });
    return made;
  },
  render: ({ id }) => `Added comment ${id}`,
});
