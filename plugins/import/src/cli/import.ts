import {
  TaskFailure,
  allowEmptyMessageOption,
  awaitTask,
  defineCommand,
  formatDate,
  formatUri,
  isAnswerError,
  messageOption,
  messageOptions,
  metaOption,
  noProgressOption,
  textOf,
} from '@srv/lib-commands';
import { fitsStorePattern } from '@srv/lib-stores/block';
import type {} from '@srv/engine/operations';
import type { Commit } from '@srv/lib-api';
import type { Client } from '@srv/lib-api/client';
import type { CommandContext, PathUri } from '@srv/lib-commands';

/** Milliseconds between two polls, and without progress before giving up. */
const pollInterval = 1000;
const timeoutMs = 300_000;

interface ImportResult {
  readonly branch: string;
  readonly ingested_objects: number;
  readonly metarange_id?: string | undefined;
  readonly commit?: Commit | undefined;
}

export const importCommand = defineCommand({
  name: 'import',
  summary: 'Import data from external source to a destination branch',
  description: 'Objects of the storage become objects of the branch without being copied; it ends with one commit.',
  examples: ['cli import --from s3://bucket/production/ --to srv://example-repo/main/production/ -m "production data"'],
  options: [
    allowEmptyMessageOption(true),
    { name: 'from', type: 'string', required: true, description: 'prefix to read from, outside of every storage namespace' },
    {
      name: 'merge',
      type: 'bool',
      default: false,
      hidden: true,
      description: 'has no effect: an import always ends with a commit on its branch',
    },
    messageOption,
    metaOption,
    noProgressOption,
    { name: 'to', type: 'string', required: true, description: 'path URI to import into' },
  ],
  async run(context, input): Promise<ImportResult> {
    const destination = context.uri.path(textOf(input.options.to) ?? '', 'destination path URI');
    const commit = messageOptions(input.options);
    if (input.options.merge === true) context.warn('--merge has no effect: an import always ends with a commit on its branch');
    const api = await context.client();
    const from = await checkedSource(context, api, textOf(input.options.from) ?? '');
    await checkBranch(api, destination);
    const { repository, ref: branch, path } = destination;
    const { id } = await api.importStart({
      repository,
      branch,
      body: { commit, paths: [{ type: 'common_prefix', path: from, destination: path }] },
    });
    return follow(context, api, destination, id, input.options['no-progress'] === true);
  },
  render: ({ branch, ingested_objects: count, metarange_id: metarange, commit }) =>
    [
      `Import of ${count} object(s) into ${JSON.stringify(branch)} completed.`,
      ...(metarange === undefined ? [] : [`MetaRange ID: ${metarange}`]),
      ...(commit === undefined ? [] : commitLines(commit)),
    ].join('\n'),
});

function commitLines({ id, message, creation_date: date, parents }: Commit): string[] {
  return [`Commit ID: ${id}`, `Message: ${message}`, `Timestamp: ${formatDate(date)}`, `Parents: ${parents.join(', ')}`];
}

/** Waits for the end; an interrupt stops the import on the server too. */
async function follow(
  context: CommandContext,
  api: Client,
  { repository, ref: branch }: PathUri,
  id: string,
  hidden: boolean,
): Promise<ImportResult> {
  const { signal, tell, terminal } = context;
  let told = 0;
  try {
    const { status } = await awaitTask(
      async () => {
        const status = await api.importStatus({ repository, branch, id }, { signal });
        const count = status.ingested_objects ?? 0;
        if (!hidden && terminal.interactive && count !== told) tell(`Importing: ${count} objects`);
        told = count;
        return {
          done: status.completed || status.error !== undefined,
          updatedAt: status.update_time,
          error: status.error?.message,
          status,
        };
      },
      { interval: pollInterval, timeout: timeoutMs, signal },
    );
    return { branch, ingested_objects: status.ingested_objects ?? 0, metarange_id: status.metarange_id, commit: status.commit };
  } catch (error) {
    if (error instanceof TaskFailure) throw new Error(`Import failed: ${error.message}`, { cause: error });
    if (signal.aborted) {
      await api.importCancel({ repository, branch, id }).catch(() => {});
      tell(`Import ${id} was cancelled`);
    }
    throw error;
  }
}

/** @throws Error when the server's block store cannot read there. */
async function checkedSource({ warn }: CommandContext, api: Client, from: string): Promise<string> {
  const source = from.replace('adls.core.windows.net', 'blob.core.windows.net');
  if (source !== from) warn(`adls.core.windows.net is deprecated, use ${source}`);
  const { storage_config: storage } = await api.getConfig({});
  const rule = storage?.import_validity_regex;
  if (rule && !fitsStorePattern(rule, source))
    throw new Error(`import source '${from}' doesn't match current configured storage '${storage.blockstore_type}'`);
  return source;
}

/** @throws Error when the branch does not exist. */
async function checkBranch(api: Client, { repository, ref }: PathUri): Promise<void> {
  try {
    await api.getBranch({ repository, branch: ref });
  } catch (error) {
    if (!isAnswerError(error, 404)) throw error;
    throw new Error(`target branch ${formatUri({ repository, ref })} does not exist; create it first`, { cause: error });
  }
}
