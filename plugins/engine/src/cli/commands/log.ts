import { Readable } from 'node:stream';
import { UsageError, argument, defineCommand, listOf, logEntry, numberOf, refArgument, textOf } from '@srv/lib-commands';
import { commitGraph } from './output/commit-graph.js';
import type { CommandContext, CommandInput } from '@srv/lib-commands';
import type { Commit } from '../../operations/client.js';

/** The API's largest page. */
const largestPage = 1000;

export const log = defineCommand({
  name: 'log',
  summary: 'Show log of commits',
  examples: ['cli log srv://example-repo/main --amount 5', 'cli log --dot srv://example-repo/main | dot -Tsvg > graph.svg'],
  arguments: [refArgument],
  options: [
    { name: 'after', type: 'string', description: 'show results after this value (used for pagination)' },
    { name: 'amount', type: 'int', description: 'number of results to return (all by default)' },
    { name: 'dot', type: 'bool', default: false, description: 'print the commit graph in the format of dot' },
    { name: 'exclude', type: 'string', description: 'show only commits that this ref does not lead to' },
    { name: 'first-parent', type: 'bool', default: false, description: 'follow only the first parent of merge commits' },
    { name: 'limit', type: 'bool', default: false, description: 'stop after the amount, without offering more' },
    { name: 'no-merges', type: 'bool', default: false, description: 'skip commits with more than one parent' },
    { name: 'objects', type: 'list', description: 'show only commits that changed one of these objects' },
    { name: 'prefixes', type: 'list', description: 'show only commits that changed something under one of these prefixes' },
    { name: 'show-meta-range-id', type: 'bool', default: false, description: "show the commits' metarange IDs" },
    { name: 'since', type: 'string', description: 'show only commits since this time (RFC 3339)' },
    { name: 'stop-at', type: 'string', description: 'stop after this ref, which is included' },
  ],
  async run(context, input): Promise<AsyncIterable<Commit> | Readable> {
    const uri = context.uri.ref(argument(input, 0));
    const commits = readLog(context, uri, input);
    if (input.options.dot !== true) return commits;
    const { origin: page } = (await context.client()).endpoint;
    return Readable.from(commitGraph(commits, id => `${page}/repositories/${uri.repository}/commits/${id}`));
  },
  render: (commit, { terminal }, { options }) => logEntry(commit, terminal, { metarange: options['show-meta-range-id'] === true }),
});

async function* readLog(
  context: CommandContext,
  { repository, ref }: { repository: string; ref: string },
  { options }: CommandInput,
): AsyncGenerator<Commit> {
  const amount = numberOf(options.amount) ?? 0;
  const noMerges = options['no-merges'] === true;
  const limit = options.limit === true;
  const query = {
    objects: items('objects', listOf(options.objects)),
    prefixes: items('prefixes', listOf(options.prefixes)),
    first_parent: options['first-parent'] === true,
    limit,
    ...since(textOf(options.since)),
    ...(options.exclude ? { exclude: String(options.exclude) } : {}),
    ...(options['stop-at'] ? { stop_at: String(options['stop-at']) } : {}),
  };
  const api = await context.client();
  let left = amount > 0 ? amount : Number.POSITIVE_INFINITY;
  for (let after = textOf(options.after) ?? ''; ; ) {
    // Merges are filtered out here, so request more than is shown.
    const size = Math.min(largestPage, noMerges ? left * 3 : left);
    const { results, pagination } = await api.logCommits({
      repository,
      ref,
      ...query,
      amount: size,
      after: after === '' ? undefined : after,
    });
    const shown = results.filter(commit => !noMerges || commit.parents.length < 2).slice(0, left);
    yield* shown;
    left -= shown.length;
    const more = pagination.has_more || shown.length < results.filter(commit => !noMerges || commit.parents.length < 2).length;
    if (!more || limit) return;
    if (left <= 0) {
      // A program that reads the log has asked for an amount.
      if (!context.terminal.interactive) return;
      context.tell(
        `for more results run with ${context.terminal.colours.yellowBright(`--amount ${amount} --after ${JSON.stringify(shown.at(-1)?.id ?? pagination.next_offset)}`)}`,
      );
      return;
    }
    after = pagination.next_offset;
  }
}

function items(name: string, values: readonly string[]): readonly string[] {
  if (values.includes('')) throw new UsageError(`--${name}: an empty value is not allowed`);
  return values;
}

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

function since(text: string | undefined): { readonly since?: Date } {
  if (!text) return {};
  const date = new Date(text);
  if (!rfc3339.test(text) || Number.isNaN(date.getTime()))
    throw new UsageError(`--since: ${JSON.stringify(text)} is not an RFC 3339 time such as 2030-01-31T12:00:00Z`);
  return { since: date };
}
