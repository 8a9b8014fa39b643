/** Lists of branches and of tags. */
import { argument, defineCommand, listed, paginationOptions, repositoryArgument, table } from '@srv/lib-commands';
import type { Command, PageQuery, ResultPage } from '@srv/lib-commands';
import type { Client } from '../../operations/client.js';

export interface NamedCommit {
  readonly id: string;
  readonly commit_id: string;
}

interface RefList {
  readonly kind: 'branch' | 'tag';
  readonly summary: string;
  readonly examples: readonly string[];
  /** Header of the first column. */
  readonly title: string;
  readonly page: (api: Client, query: PageQuery & { readonly repository: string }) => Promise<ResultPage<NamedCommit>>;
}

/** A page of refs with their commits. */
export function refList({ kind, summary, examples, title, page }: RefList): Command<ResultPage<NamedCommit>> {
  return defineCommand({
    name: `${kind} list`,
    summary,
    examples,
    arguments: [repositoryArgument],
    options: paginationOptions,
    async run(context, input) {
      const { repository } = context.uri.repository(argument(input, 0));
      const api = await context.client();
      return listed(context, input, query => page(api, { repository, ...query }));
    },
    render: ({ results }, { terminal }) =>
      table(
        [title, 'Commit ID'],
        results.map(({ id, commit_id: commit }) => [id, commit]),
        terminal,
      ),
  });
}
