import { paginationOptions } from '../context.js';
import { argument, defineCommand, hintMore, pageQuery, repositoryArgument } from '../define.js';
import { table } from '../output/table.js';

export const tagList = defineCommand({
  name: 'tag list',
  summary: 'List tags in a repository',
  arguments: [repositoryArgument],
  options: paginationOptions,
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const query = pageQuery(input);
    const api = await context.client();
    return hintMore(context, await api.listTags({ repository, ...query }), query.amount);
  },
  render: ({ results }, { terminal }) =>
    table(
      ['Tag', 'Commit ID'],
      results.map(t => [t.id, t.commit_id]),
      terminal,
    ),
});
