import { ExitError, UsageError, argument, defineCommand, everything, isAnswerError, numberOf, pathArgument } from '@srv/lib-commands';
import pLimit from 'p-limit';
import type { CommandContext, PathUri } from '@srv/lib-commands';

/** Objects per request; the API's limit. */
const batchSize = 1000;

export const fsRm = defineCommand({
  name: 'fs rm',
  summary: 'Delete object',
  description: 'Delete an object or, with -r, everything whose path begins with the given one; end it with / for a folder.',
  examples: ['cli fs rm srv://example-repo/dev/images/a.png', 'cli fs rm -r srv://example-repo/dev/images/'],
  arguments: [pathArgument],
  options: [
    { name: 'concurrency', short: 'C', type: 'int', default: 50, description: 'delete requests at a time with -r' },
    { name: 'recursive', short: 'r', type: 'bool', default: false, description: 'recursively delete all objects under the specified path' },
  ],
  async run(context, input) {
    const uri = context.uri.path(argument(input, 0));
    const concurrency = numberOf(input.options.concurrency) ?? 0;
    if (concurrency < 1) throw new UsageError(`Invalid value for concurrency (${concurrency}), minimum is 1.`);
    if (input.options.recursive === true) return removeAll(context, uri, concurrency);
    const api = await context.client();
    await api.deleteObject({ repository: uri.repository, branch: uri.ref, path: uri.path });
    return undefined;
  },
  render: () => '',
});

/** Continues after failures; each is reported and affects the exit code. */
async function removeAll(context: CommandContext, { repository, ref: branch, path: prefix }: PathUri, concurrency: number) {
  const api = await context.client();
  const limit = pLimit(concurrency);
  const counts = { removed: 0, failed: 0 };
  const remove = async (paths: readonly string[]): Promise<void> => {
    try {
      const { errors } = await api.deleteObjects({ repository, branch, body: { paths } });
      for (const { path, status_code: status, message } of errors) context.tell(`rm ${path}: [${status}] ${message}`);
      counts.failed += errors.length;
      counts.removed += paths.length - errors.length;
    } catch (error) {
      const status = isAnswerError(error) ? ` - [${error.status}]` : '';
      context.tell(`rm objects${status}: ${error instanceof Error ? error.message : String(error)} request failed`);
      counts.failed += paths.length;
    }
  };
  let batch: string[] = [];
  const running = new Set<Promise<void>>();
  const send = async (): Promise<void> => {
    const work = limit(remove, batch).finally(() => running.delete(work));
    running.add(work);
    batch = [];
    if (running.size >= concurrency) await Promise.race(running);
  };
  for await (const { path } of everything(page => api.listObjects({ repository, ref: branch, prefix, ...page }))) {
    batch.push(path);
    if (batch.length === batchSize) await send();
  }
  if (batch.length > 0) await send();
  await Promise.all(running);
  if (counts.failed > 0) throw new ExitError(1);
  return counts;
}
