import { writeFile } from 'node:fs/promises';
import {
  TaskFailure,
  argument,
  awaitTask,
  defineCommand,
  pollIntervalOption,
  pollOptions,
  repositoryArgument,
  textOf,
  timeoutOption,
} from '@srv/lib-commands';

/** What a dump wrote: names of files in the storage namespace. */
export interface RefsManifest {
  readonly commits_meta_range_id: string;
  readonly tags_meta_range_id: string;
  readonly branches_meta_range_id: string;
}

export const refsDump = defineCommand({
  name: 'refs-dump',
  localEffects: true,
  summary: "Dump a repository's branches, commits and tags to its object store",
  examples: ['cli refs-dump srv://example-repo', 'cli refs-dump srv://example-repo --output manifest.json'],
  hidden: true,
  arguments: [repositoryArgument],
  options: [
    { name: 'output', short: 'o', type: 'string', default: '', description: 'file for the manifest (default standard output)' },
    pollIntervalOption,
    timeoutOption,
  ],
  async run(context, input): Promise<RefsManifest> {
    const { repository } = context.uri.repository(argument(input, 0));
    const polling = pollOptions(input.options, context.signal);
    const api = await context.client();
    const { id } = await api.dumpSubmit({ repository });
    const { refs } = await awaitTask(async () => {
      const { done, update_time: updatedAt, error, refs } = await api.dumpStatus({ repository, task_id: id });
      return { done, updatedAt, error, refs };
    }, polling).catch((error: unknown) => {
      throw error instanceof TaskFailure ? new Error(`Refs dump failed: ${error.message}`, { cause: error }) : error;
    });
    if (!refs) throw new Error('Refs dump failed: the server named no files');
    const file = textOf(input.options.output) ?? '';
    if (!toStandardOutput(file)) {
      context.tell(`Writing refs to ${file}`);
      await writeFile(file, manifestText(refs));
    }
    return refs;
  },
  render: (refs, _context, { options }) => (toStandardOutput(textOf(options.output) ?? '') ? manifestText(refs) : ''),
});

function toStandardOutput(file: string): boolean {
  return file === '' || file === '-';
}

function manifestText(refs: RefsManifest): string {
  return `${JSON.stringify(refs, null, 2)}\n`;
}
