import { readFile } from 'node:fs/promises';
import { text as textOfStream } from 'node:stream/consumers';
import { messageOf } from '@srv/kernel';
import type { Client } from '../client.js';
import { argument, defineCommand, repositoryArgument } from '../define.js';
import { isAnswerError } from '../failures.js';
import { textOf } from '../options.js';
import { TaskFailure, TaskStalled, awaitTask, patienceOf, pollIntervalOption, timeoutOption } from '../tasks.js';
import type { Patience } from '../tasks.js';
import type { RefsManifest } from './refs-dump.js';

/** Restores begun at most, the first one included. */
const attempts = 3;

export const refsRestore = defineCommand({
  name: 'refs-restore',
  summary: 'Restore the branches, commits and tags of a bare repository from a dump',
  description: [
    'The repository must be bare: see repo create-bare.',
    'After a transient failure the repository is deleted, created bare again, and the restore is repeated.',
  ].join('\n'),
  examples: [
    'cli refs-restore srv://example-repo --manifest manifest.json',
    'cat manifest.json | cli refs-restore srv://example-repo --manifest -',
  ],
  hidden: true,
  arguments: [repositoryArgument],
  options: [
    { name: 'manifest', type: 'string', required: true, description: 'manifest JSON file that refs-dump wrote, or "-" for standard input' },
    pollIntervalOption,
    timeoutOption,
  ],
  async run(context, input) {
    const uri = context.uri.repository(argument(input, 0));
    const patience = patienceOf(input.options, context.signal);
    const manifest = await readManifest(textOf(input.options.manifest) ?? '');
    context.echo('Repository', uri);
    const api = await context.client();
    await checkBare(api, uri.repository);
    for (let attempt = 1; ; attempt++) {
      try {
        await restore(api, uri.repository, manifest, patience);
        return { repository: uri.repository, ...manifest };
      } catch (error) {
        if (attempt === attempts || !isTransient(error)) throw error;
        context.warn(`restore failed (${messageOf(error)}); ${uri.repository} is created anew and restored again`);
        await recreate(api, uri.repository);
      }
    }
  },
  render: (_data, { terminal: { colours } }) => `\n${colours.greenBright('Refs restored successfully.')}`,
});

/** Retrying deletes the repository, so nothing may be in it that the dump does not bring back. */
async function checkBare(api: Client, repository: string): Promise<void> {
  const [branches, tags] = await Promise.all([api.listBranches({ repository, amount: 1 }), api.listTags({ repository, amount: 1 })]);
  const found = branches.results[0] ?? tags.results[0];
  if (found) throw new Error(`${repository} is not bare: it has ${found.id}; restore into a repository made by repo create-bare`);
}

async function restore(api: Client, repository: string, body: RefsManifest, patience: Patience): Promise<void> {
  const { id } = await api.restoreSubmit({ repository, body });
  await awaitTask(async () => {
    const { done, update_time: updatedAt, error } = await api.restoreStatus({ repository, task_id: id });
    return { done, updatedAt, error };
  }, patience).catch((error: unknown) => {
    throw error instanceof TaskFailure ? new TaskFailure(`Refs restore failed: ${error.message}`, { cause: error }) : error;
  });
}

/** Failures of the server's side and of the connection; a refusal of the request stays one. */
function isTransient(error: unknown): boolean {
  if (error instanceof TaskFailure || error instanceof TaskStalled) return true;
  if (isAnswerError(error)) return error.status >= 500 || error.status === 429;
  return error instanceof Error && 'code' in error && error.code === 'unavailable';
}

/** The same bare repository, without what a broken restore left. */
async function recreate(api: Client, repository: string): Promise<void> {
  const { storage_namespace, default_branch } = await api.getRepository({ repository });
  await api.deleteRepository({ repository });
  await api.createRepository({ bare: true, body: { name: repository, storage_namespace, default_branch } });
}

/** @throws Error when the file cannot be read or is no manifest. */
async function readManifest(file: string): Promise<RefsManifest> {
  const content = file === '-' ? await textOfStream(process.stdin) : await readFile(file, 'utf8');
  const where = file === '-' ? 'standard input' : file;
  let found: Partial<Record<keyof RefsManifest, unknown>>;
  try {
    found = JSON.parse(content) as typeof found;
  } catch (error) {
    throw new Error(`${where} is no refs manifest: ${messageOf(error)}`, { cause: error });
  }
  const id = (name: keyof RefsManifest): string => {
    const value = found?.[name];
    if (typeof value !== 'string') throw new Error(`${where} is no refs manifest: ${name} is missing; use the output of refs-dump`);
    return value;
  };
  return {
    commits_meta_range_id: id('commits_meta_range_id'),
    tags_meta_range_id: id('tags_meta_range_id'),
    branches_meta_range_id: id('branches_meta_range_id'),
  };
}
