import { argument, defineCommand, everything, formatDate, pathArgument } from '@srv/lib-commands';
import pLimit from 'p-limit';
import type { CommandContext, PathUri } from '@srv/lib-commands';
import type { Commit } from '../../operations/client.js';

interface Annotated {
  readonly path: string;
  /** Absent for what is not committed. */
  readonly commit?: Commit;
}

/** Log requests at a time. */
const concurrency = 10;
const longestMessage = 200;

export const annotate = defineCommand({
  name: 'annotate',
  summary: 'List entries under a given path, annotating each with the latest modifying commit',
  examples: ['cli annotate srv://example-repo/main/images/', 'cli annotate -r srv://example-repo/main/'],
  arguments: [pathArgument],
  options: [
    { name: 'first-parent', type: 'bool', default: false, description: 'follow only the first parent of merge commits' },
    {
      name: 'recursive',
      short: 'r',
      type: 'bool',
      default: false,
      description: 'recursively annotate all entries under a given path or prefix',
    },
  ],
  async run(context, input) {
    const uri = context.uri.path(argument(input, 0));
    return annotated(context, uri, input.options.recursive === true, input.options['first-parent'] === true);
  },
  render: ({ path, commit }) => {
    const [first = ''] = (commit?.message ?? '').split('\n');
    const message = first.length > longestMessage ? `${first.slice(0, longestMessage)}...` : first;
    return `${path.padEnd(15)} ${(commit?.committer ?? '').padEnd(20)} ${(commit?.id.slice(0, 16) ?? '').padEnd(20)} ${commit ? formatDate(commit.creation_date) : ''}  ${message}`.trimEnd();
  },
});

/** Several lookups run at a time; results come in the order of the listing. */
async function* annotated(
  context: CommandContext,
  { repository, ref, path: prefix }: PathUri,
  recursive: boolean,
  firstParent: boolean,
): AsyncGenerator<Annotated> {
  const api = await context.client();
  const limit = pLimit(concurrency);
  const latest = async (path: string, isPrefix: boolean): Promise<Annotated> => {
    const filter = isPrefix ? { prefixes: [path] } : { objects: [path] };
    const { results } = await api.logCommits({ repository, ref, ...filter, amount: 1, limit: true, first_parent: firstParent });
    return { path, ...(results[0] ? { commit: results[0] } : {}) };
  };
  const waiting: Promise<Annotated>[] = [];
  for await (const entry of everything(
    page => api.listObjects({ repository, ref, prefix, delimiter: recursive ? undefined : '/', ...page }),
    100,
  )) {
    const lookup = limit(latest, entry.path, entry.path_type === 'common_prefix');
    // The failure is reported where the result is awaited.
    lookup.catch(() => {});
    waiting.push(lookup);
    if (waiting.length > 2 * concurrency) {
      const next = waiting.shift();
      if (next) yield await next;
    }
  }
  for (const lookup of waiting) yield await lookup;
}
