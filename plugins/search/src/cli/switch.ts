/** Commands that switch the index of a repository on and off, and show its state. */
import { argument, defineCommand, repositoryArgument, table } from '@srv/lib-commands';
import type {} from '../operations/index.js';

export const searchEnable = defineCommand({
  name: 'search enable',
  summary: 'Index branches of a repository, so that search finds their objects',
  examples: ['cli search enable srv://example-repo main', "cli search enable srv://example-repo main 'release-*'"],
  arguments: [
    repositoryArgument,
    { name: 'pattern', description: 'patterns of branch names: * ? [a-z] {a,b}', required: true, variadic: true },
  ],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    const api = await context.client();
    const { data, headers } = await api.call('getSearchSettings', { repository });
    const all = [...new Set([...data.branches, ...input.args.slice(1)])];
    // Servers of earlier versions send no tag.
    const { etag } = headers;
    await api.setSearchSettings({ repository, body: { branches: all }, ...(etag === undefined ? {} : { 'If-Match': String(etag) }) });
  },
});

export const searchDisable = defineCommand({
  name: 'search disable',
  summary: 'Stop indexing a repository, and remove its index',
  examples: ['cli search disable srv://example-repo'],
  arguments: [repositoryArgument],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    await (await context.client()).setSearchSettings({ repository, body: { branches: [] } });
  },
});

export const searchStatusCommand = defineCommand({
  name: 'search status',
  summary: 'Show which branches of a repository are indexed',
  examples: ['cli search status srv://example-repo'],
  arguments: [repositoryArgument],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    return (await context.client()).getSearchStatus({ repository });
  },
  render: ({ patterns, branches, waiting_commits: waiting }, { terminal }) =>
    [
      `Patterns: ${patterns.length === 0 ? 'none; search enable adds one' : patterns.join(', ')}`,
      ...(waiting > 0 ? [`Commits that are being indexed: ${waiting}`] : []),
      ...(branches.length === 0
        ? []
        : [
            table(
              ['Branch', 'Commit', 'Indexed'],
              branches.map(({ branch, commit_id: commit, indexed }) => [branch, commit.slice(0, 16), indexed ? 'yes' : 'not yet']),
              terminal,
            ),
          ]),
    ].join('\n'),
});

export const searchRebuild = defineCommand({
  name: 'search rebuild',
  summary: 'Remove the index of a repository and make it again',
  examples: ['cli search rebuild srv://example-repo'],
  arguments: [repositoryArgument],
  async run(context, input) {
    const { repository } = context.uri.repository(argument(input, 0));
    await (await context.client()).rebuildSearch({ repository });
  },
});
