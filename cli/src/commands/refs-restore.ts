import { text as textOfStream } from 'node:stream/consumers';
import { messageOf } from '@srv/kernel';
import {
  TaskFailure,
  argument,
  awaitTask,
  defineCommand,
  isAnswerError,
  isTransient,
  pollIntervalOption,
  pollOptions,
  readNamed,
  repositoryArgument,
  textOf,
  timeoutOption,
} from '@srv/lib-commands';
import type { CommandContext, PollOptions } from '@srv/lib-commands';
import type { Client } from '../client.js';
import type { RefsManifest } from './refs-dump.js';

/** Restores begun at most, the first one included. */
const attempts = 3;

export const refsRestore = defineCommand({
  name: 'refs-restore',
  localEffects: true,
  summary: 'Restore the branches, commits and tags of a bare repository from a dump',
  description: [
    'The repository must be bare: see repo create-bare.',
    'After a transient failure, and while it is still bare, the repository is deleted, created bare again, and restored again.',
  ].join('\n'),
  examples: [
    'cli refs-restore srv://example-repo --manifest manifest.json',
    'cat manifest.json | cli refs-restore srv://example-repo --manifest -',
  ],
  hidden: true,
  arguments: [repositoryArgument],
  options: [
    {
      name: 'manifest',
      type: 'string',
      completes: 'path',
      required: true,
      description: 'manifest JSON file that refs-dump wrote, or "-" for standard input',
    },
    pollIntervalOption,
    timeoutOption,
  ],
  readsInput: true,
  async run(context, input) {
    const uri = context.uri.repository(argument(input, 0));
    const polling = pollOptions(input.options, context.signal);
    const manifest = await readManifest(textOf(input.options.manifest) ?? '', context.input);
    context.echo('Repository', uri);
    const api = await context.client();
    const { repository } = uri;
    const found = await firstRef(api, repository);
    if (found !== undefined)
      throw new Error(`${repository} is not bare: it has ${found}; restore into a repository made by repo create-bare`);
    for (let attempt = 1; ; attempt++) {
      try {
        await restore(api, repository, manifest, polling);
        return { repository, ...manifest };
      } catch (error) {
        if (attempt === attempts || !mayRepeat(error)) throw error;
        const reason = messageOf(error);
        await refuseRefs(api, repository, reason);
        context.warn(`restore failed (${reason}); ${repository} is recreated and restored again`);
        await recreate(api, repository);
      }
    }
  },
  render: (_data, { terminal: { colours } }) => `\n${colours.greenBright('Refs restored successfully.')}`,
});

/** A branch, hidden ones included, or a tag; a bare repository has neither. */
async function firstRef(api: Client, repository: string): Promise<string | undefined> {
  const [branches, tags] = await Promise.all([
    api.listBranches({ repository, amount: 1, show_hidden: true }),
    api.listTags({ repository, amount: 1 }),
  ]);
  return (branches.results[0] ?? tags.results[0])?.id;
}

/** Only a bare repository is deleted: existing refs may be the dump's, or those of another user. */
async function refuseRefs(api: Client, repository: string, reason: string): Promise<void> {
  const found = await firstRef(api, repository);
  if (found === undefined) return;
  throw new Error(
    `restore failed (${reason}), and ${repository} has ${found} now; when nothing in it is worth keeping, delete it, create it bare and restore again`,
  );
}

async function restore(api: Client, repository: string, body: RefsManifest, polling: PollOptions): Promise<void> {
  const { id } = await api.restoreSubmit({ repository, body });
  await awaitTask(async () => {
    const { done, update_time: updatedAt, error } = await api.restoreStatus({ repository, task_id: id });
    return { done, updatedAt, error };
  }, polling).catch((error: unknown) => {
    throw error instanceof TaskFailure ? new TaskFailure(`Refs restore failed: ${error.message}`, { cause: error }) : error;
  });
}

/** The API gives no code with the failure of a task; one that failed because the server stopped is worth another attempt. */
function mayRepeat(error: unknown): boolean {
  return error instanceof TaskFailure ? /please retry/i.test(error.message) : isTransient(error);
}

/** The same bare repository, without what a broken restore left. */
async function recreate(api: Client, repository: string): Promise<void> {
  const { storage_namespace, storage_id, default_branch } = await api.getRepository({ repository });
  await api.deleteRepository({ repository }).catch((error: unknown) => {
    // An answer that was lost: the repeated request found nothing any more.
    if (!isAnswerError(error, 404)) throw error;
  });
  const body = { name: repository, storage_namespace, default_branch, ...(storage_id ? { storage_id } : {}) };
  await api.createRepository({ bare: true, body }).catch((error: unknown) => {
    throw new Error(
      `${repository} was deleted and could not be created again (${messageOf(error)}): ` +
        `run "cli repo create-bare srv://${repository} ${storage_namespace} --default-branch ${default_branch}", then restore again`,
      { cause: error },
    );
  });
}

/** @throws Error when the file cannot be read or is not a manifest. */
async function readManifest(file: string, input: CommandContext['input']): Promise<RefsManifest> {
  const content = file === '-' ? await textOfStream(input) : (await readNamed(file)).toString('utf8');
  const where = file === '-' ? 'standard input' : file;
  let found: Partial<Record<keyof RefsManifest, unknown>>;
  try {
    found = JSON.parse(content) as typeof found;
  } catch (error) {
    throw new Error(`${where} is not a refs manifest: ${messageOf(error)}`, { cause: error });
  }
  const id = (name: keyof RefsManifest): string => {
    const value = found?.[name];
    if (typeof value !== 'string') throw new Error(`${where} is not a refs manifest: ${name} is missing; use the output of refs-dump`);
    return value;
  };
  return {
    commits_meta_range_id: id('commits_meta_range_id'),
    tags_meta_range_id: id('tags_meta_range_id'),
    branches_meta_range_id: id('branches_meta_range_id'),
  };
}
