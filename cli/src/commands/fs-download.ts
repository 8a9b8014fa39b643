import { stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { FolderMaker, download, preSignMode, targetPath } from '@srv/engine/transfer';
import {
  argument,
  defineCommand,
  everything,
  forEachParallel,
  formatSize,
  formatUri,
  labelled,
  noProgressOption,
  numberOf,
  parallelismOption,
  pathArgument,
  plural,
  preSignOption,
} from '@srv/lib-commands';
import type { DownloadSettings } from '@srv/engine/transfer';
import type { CommandContext, CommandInput, PathUri } from '@srv/lib-commands';

interface DownloadSummary {
  readonly downloaded: number;
  readonly bytes: number;
}

interface DownloadedFile {
  readonly path: string;
  readonly source: string;
  readonly bytes: number;
}

const smallestPart = 65_536;

export const fsDownload = defineCommand({
  name: 'fs download',
  localEffects: true,
  summary: 'Download object(s) from a given repository path',
  description: 'Download an object or, with -r, everything below a path. An existing file is replaced once the new one is complete.',
  examples: ['cli fs download srv://example-repo/main/images/a.png', 'cli fs download -r srv://example-repo/main/images/ pictures'],
  arguments: [pathArgument, { name: 'destination path', description: 'file or folder; default: the current folder', completes: 'path' }],
  options: [
    noProgressOption,
    {
      name: 'no-verify',
      type: 'bool',
      default: false,
      description: 'do not compare MD5s, which takes longer than receiving a large object',
    },
    parallelismOption,
    { name: 'part-size', type: 'int', default: 8_388_608, description: 'part size in bytes for large objects' },
    preSignOption,
    { name: 'recursive', short: 'r', type: 'bool', default: false, description: 'recursively download all objects under the path' },
  ],
  async run(context, input): Promise<DownloadSummary | DownloadedFile> {
    const uri = context.uri.path(argument(input, 0));
    const destination = resolve(expandHome(input.args[1] ?? '.', context.home));
    const partSize = numberOf(input.options['part-size']) ?? 0;
    if (partSize < smallestPart) throw new Error(`part size must be at least ${smallestPart} bytes, not ${partSize}`);
    const parallelism = context.parallelism(input.options.parallelism);
    const api = await context.client();
    const preSign = await preSignMode(api, uri.repository, input.options['pre-sign']);
    const progress = context.progress('Downloading', { hidden: input.options['no-progress'] === true });
    const verify = input.options['no-verify'] !== true;
    const settings: DownloadSettings = { api, preSign, progress, signal: context.signal, partSize, attempts: context.attempts, verify };
    try {
      return await (input.options.recursive === true
        ? downloadFolder(context, uri, destination, parallelism, settings)
        : downloadOne(uri, destination, (input.args[1] ?? '').endsWith('/'), settings));
    } finally {
      progress.stop();
    }
  },
  render: (result: DownloadSummary | DownloadedFile, _context: CommandContext, _input: CommandInput) =>
    'downloaded' in result
      ? `Download Summary:\n\n${labelled([
          ['Downloaded', plural(result.downloaded, 'file')],
          ['Size', formatSize(result.bytes)],
        ])}`
      : `download: ${result.source} to ${result.path}`,
});

async function downloadOne(uri: PathUri, destination: string, intoFolder: boolean, settings: DownloadSettings): Promise<DownloadedFile> {
  const isFolder =
    intoFolder ||
    (await stat(destination).then(
      facts => facts.isDirectory(),
      () => false,
    ));
  const name = basename(uri.path);
  if (isFolder && ['', '.', '..'].includes(name))
    throw new Error(`${formatUri(uri)} has no file name; name the destination file, or use --recursive`);
  const target = isFolder ? join(destination, name) : destination;
  await new FolderMaker(target).prepare(target);
  const { repository, ref, path } = uri;
  const { size_bytes: size = 0 } = await settings.api.statObject({ repository, ref, path });
  settings.progress.expect(size);
  return { path: target, source: formatUri(uri), bytes: await download({ repository, ref, path, size }, target, settings) };
}

async function downloadFolder(
  { tell, verbose }: CommandContext,
  { repository, ref, path }: PathUri,
  folder: string,
  parallelism: number,
  settings: DownloadSettings,
): Promise<DownloadSummary> {
  const prefix = path === '' || path.endsWith('/') ? path : `${path}/`;
  const folders = new FolderMaker(folder);
  const counts = { downloaded: 0, bytes: 0 };
  const listing = everything(page => settings.api.listObjects({ repository, ref, prefix, user_metadata: false, ...page }));
  let found = 0;
  await forEachParallel(listing, parallelism, async ({ path: object, size_bytes: size = 0 }) => {
    found++;
    const relative = object.slice(prefix.length);
    // Objects that represent folders have no file.
    if (relative === '' || relative.endsWith('/')) return;
    const target = targetPath(folder, relative);
    await folders.prepare(target);
    settings.progress.expect(size);
    const bytes = await download({ repository, ref, path: object, size }, target, settings);
    counts.bytes += bytes;
    counts.downloaded++;
    if (verbose) tell(`download ${relative}`);
  });
  if (found === 0) throw new Error(`No objects in path: ${formatUri({ repository, ref, path: prefix })}`);
  return counts;
}

function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
