import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { statBlock } from '@srv/engine/commands';
import {
  SmallUploads,
  clientMtimeKey,
  differingFiles,
  fileSource,
  inGroups,
  preSignMode,
  regularSource,
  streamSource,
  upload,
  uploadsFolder,
} from '@srv/engine/transfer';
import {
  argument,
  defineCommand,
  forEachParallel,
  formatSize,
  labelled,
  noProgressOption,
  parallelismOption,
  pathArgument,
  plural,
  preSignOption,
  textOf,
} from '@srv/lib-commands';
import type { SmallUpload, Source, UploadSettings } from '@srv/engine/transfer';
import type { CommandContext, CommandInput, PathUri } from '@srv/lib-commands';
import type { ObjectRecord } from '../client.js';

interface UploadSummary {
  readonly uploaded: number;
  /** Files that the branch held as they are. */
  readonly unchanged: number;
  readonly bytes: number;
}

export const fsUpload = defineCommand({
  name: 'fs upload',
  summary: 'Upload a local file to the specified path',
  description: [
    'Upload a file, standard input, or with -r a folder: every file in it that differs from the branch.',
    'What was at the path is replaced; what is only on the branch stays.',
    'When the upload of a large file in parts was interrupted, the same command resumes it within a day.',
  ].join('\n'),
  examples: [
    'cli fs upload srv://repo/main/images/a.png -s a.png',
    'cli fs upload -r srv://repo/main/images/ -s images',
    'echo hello | cli fs upload srv://repo/main/hello.txt -s -',
  ],
  arguments: [pathArgument],
  options: [
    { name: 'content-type', type: 'string', description: 'MIME type of contents' },
    noProgressOption,
    parallelismOption,
    preSignOption,
    { name: 'recursive', short: 'r', type: 'bool', default: false, description: 'recursively copy all files under local source' },
    {
      name: 'source',
      short: 's',
      type: 'string',
      completes: 'path',
      required: true,
      description: 'local file to upload, or "-" for standard input',
    },
  ],
  readsInput: true,
  async run(context, input): Promise<ObjectRecord | UploadSummary> {
    const uri = context.uri.path(argument(input, 0));
    const source = textOf(input.options.source) ?? '';
    const parallelism = context.parallelism(input.options.parallelism);
    const recursive = input.options.recursive === true && source !== '-' && (await isFolder(source));
    const api = await context.client();
    const preSign = await preSignMode(api, uri.repository, input.options['pre-sign']);
    const progress = context.progress('Uploading', { hidden: input.options['no-progress'] === true });
    const contentType = textOf(input.options['content-type']);
    const settings: UploadSettings = {
      api,
      preSign,
      progress,
      signal: context.signal,
      resumption: { folder: uploadsFolder(context.home), tell: line => progress.aside(() => context.tell(line)) },
      contentType: contentType || undefined,
    };
    try {
      if (recursive) return await uploadFolder(context, source, uri, parallelism, settings);
      const from = source === '-' ? streamSource(Readable.from(context.input, { objectMode: false })) : await fileSource(source);
      progress.expect(from.size ?? 0);
      return await upload(from, { repository: uri.repository, branch: uri.ref, path: uri.path }, settings);
    } finally {
      progress.stop();
    }
  },
  render: (result: ObjectRecord | UploadSummary, _context: CommandContext, _input: CommandInput) =>
    'uploaded' in result ? summary(result) : statBlock(result),
});

function summary({ uploaded, unchanged, bytes }: UploadSummary): string {
  const lines =
    uploaded === 0
      ? 'No changes'
      : labelled([
          ['Uploaded', plural(uploaded, 'file')],
          ['Size', formatSize(bytes)],
        ]);
  return `Upload Summary:\n\n${lines}${unchanged === 0 ? '' : `\n${plural(unchanged, 'file')} unchanged`}`;
}

async function isFolder(source: string): Promise<boolean> {
  const facts = await stat(source).catch((error: unknown) => {
    throw new Error(`failed to stat source ${source}: no such file or directory`, { cause: error });
  });
  return facts.isDirectory();
}

/** What the branch holds already as it is here stays as it is there; what is only there stays, too. */
async function uploadFolder(
  { settings: cli }: CommandContext,
  folder: string,
  { repository, ref: branch, path }: PathUri,
  parallelism: number,
  settings: UploadSettings,
): Promise<UploadSummary> {
  const prefix = path === '' || path.endsWith('/') ? path : `${path}/`;
  const counts = { uploaded: 0, unchanged: 0, bytes: 0 };
  const uploadOne = (source: Source, { path: object, metadata }: Omit<SmallUpload, 'source'>): Promise<ObjectRecord> =>
    upload(source, { repository, branch, path: object }, { ...settings, metadata });
  const skipSpecial = cli.values['local.skip_non_regular_files'];
  const files = differingFiles({ ...settings, folder, repository, branch, prefix, skipSpecial }, () => counts.unchanged++);
  const small = new SmallUploads({ repository, branch }, settings);
  await forEachParallel(inGroups(files), parallelism, async group => {
    const held: SmallUpload[] = [];
    for (const { path: relative, size, mtime } of group) {
      settings.progress.expect(size);
      const source = await regularSource(join(folder, relative), size);
      const object = { path: prefix + relative, metadata: { [clientMtimeKey]: String(mtime) } };
      counts.uploaded++;
      counts.bytes += source.size;
      const { bytes } = source;
      if (bytes === undefined) await uploadOne(source, object);
      else held.push({ ...object, source: { ...source, bytes } });
    }
    for (const { source, ...object } of await small.send(held)) await uploadOne(source, object);
  });
  return counts;
}
