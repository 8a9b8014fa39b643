import { argument, defineCommand, listed, paginationOptions, repositoryArgument, table, textOf } from '@srv/lib-commands';
import { coloured } from './shown.js';

export const runsList = defineCommand({
  name: 'actions runs list',
  summary: 'List runs',
  description: 'List the runs of actions in a repository, newest first; of one branch or one commit if asked for.',
  examples: ['cli actions runs list srv://example-repo --branch main'],
  arguments: [repositoryArgument],
  options: [
    ...paginationOptions.filter(({ name }) => name !== 'prefix'),
    { name: 'branch', type: 'string', description: 'show results for a specific branch' },
    { name: 'commit', type: 'string', description: 'show results for a specific commit ID' },
  ],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const [branch, commit] = [textOf(input.options['branch']), textOf(input.options['commit'])];
    if (branch && commit) throw new Error("Can't specify 'commit' and 'branch'");
    const asked = { repository, ...(branch ? { branch } : {}), ...(commit ? { commit } : {}) };
    const api = await context.client();
    return listed(context, input, query => api.listRepositoryRuns({ ...asked, ...query }));
  },
  render: ({ results: runs }, { terminal }) =>
    table(
      ['Run ID', 'Event', 'Start Time', 'End Time', 'Branch', 'Commit ID', 'Status'],
      runs.map(run => [
        run.run_id,
        run.event_type,
        run.start_time,
        run.end_time ?? '-',
        run.branch,
        run.commit_id,
        coloured(run.status, terminal),
      ]),
      terminal,
    ),
});
