import { stat } from 'node:fs/promises';
import type { CommandContext, CommandInput } from '@srv/kernel';
import type { ObjectRecord } from '../client.js';
import { noProgressOption, parallelismOf, parallelismOption, preSignOption } from '../context.js';
import { argument, defineCommand, pathArgument } from '../define.js';
import { textOf } from '../options.js';
import { statBlock } from '../output/objects.js';
import { formatSize, labelled, plural } from '../output/text.js';
import { forEachParallel } from '../transfer/pool.js';
import { preSignMode } from '../transfer/pre-sign.js';
import { fileSource, streamSource, walkFiles } from '../transfer/sources.js';
import { upload } from '../transfer/upload.js';
import type { UploadSettings } from '../transfer/upload.js';
import type { PathUri } from '../uri.js';

export interface UploadSummary {
  readonly uploaded: number;
  readonly bytes: number;
}

export const fsUpload = defineCommand({
  name: 'fs upload',
  summary: 'Upload a local file to the specified path',
  description: 'Upload a file, standard input, or with -r everything in a folder. What was at the path is replaced.',
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
    { name: 'source', short: 's', type: 'string', required: true, description: 'local file to upload, or "-" for standard input' },
  ],
  async run(context, input): Promise<ObjectRecord | UploadSummary> {
    const uri = context.uri.path(argument(input, 0));
    const source = textOf(input.options.source) ?? '';
    const parallelism = parallelismOf(context, input.options.parallelism);
    const recursive = input.options.recursive === true && source !== '-' && (await isFolder(source));
    const api = await context.client();
    const preSign = await preSignMode(api, uri.repository, input.options['pre-sign']);
    const progress = context.progress('Uploading', { hidden: input.options['no-progress'] === true });
    const contentType = textOf(input.options['content-type']);
    const settings: UploadSettings = { api, preSign, progress, signal: context.signal, ...(contentType ? { contentType } : {}) };
    try {
      if (recursive) return await uploadFolder(context, source, uri, parallelism, settings);
      const from = source === '-' ? streamSource(process.stdin) : await fileSource(source);
      progress.expect(from.size ?? 0);
      return await upload(from, { repository: uri.repository, branch: uri.ref, path: uri.path }, settings);
    } finally {
      progress.stop();
    }
  },
  render: (result: ObjectRecord | UploadSummary, _context: CommandContext, _input: CommandInput) =>
    'uploaded' in result
      ? `Upload Summary:\n\n${labelled([
          ['Uploaded', plural(result.uploaded, 'file')],
          ['Size', formatSize(result.bytes)],
        ])}`
      : statBlock(result),
});

async function isFolder(source: string): Promise<boolean> {
  const facts = await stat(source).catch((error: unknown) => {
    throw new Error(`failed to stat source ${source}: no such file or directory`, { cause: error });
  });
  return facts.isDirectory();
}

async function uploadFolder(
  { settings: cli }: CommandContext,
  folder: string,
  uri: PathUri,
  parallelism: number,
  settings: UploadSettings,
): Promise<UploadSummary> {
  const prefix = uri.path === '' || uri.path.endsWith('/') ? uri.path : `${uri.path}/`;
  const counts = { uploaded: 0, bytes: 0 };
  await forEachParallel(walkFiles(folder, cli.values['local.skip_non_regular_files']), parallelism, async ({ path, relative, size }) => {
    settings.progress.expect(size);
    await upload(await fileSource(path), { repository: uri.repository, branch: uri.ref, path: prefix + relative }, settings);
    counts.uploaded++;
    counts.bytes += size;
  });
  return counts;
}
