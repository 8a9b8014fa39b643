import { argument, defineCommand, everything, forEachParallel, pathArgument } from '@srv/lib-commands';
import type { CommandContext, PathUri } from '@srv/lib-commands';

/** Copies at a time between repositories; within one, the server does all of them at once. */
const parallelCopies = 16;

export const fsCp = defineCommand({
  name: 'fs cp',
  summary: 'Copy objects',
  description:
    'Copy an object or, with -r, everything whose path begins with the given one; end both with / for folders. Within a repository no data is copied; between two it is, unless --shallow. What has the new path is replaced.',
  examples: [
    'cli fs cp srv://example-repo/main/images/a.png srv://example-repo/dev/images/copy.png',
    'cli fs cp -r srv://example-repo/v1/images/ srv://example-repo/dev/restored/',
  ],
  arguments: [pathArgument, pathArgument],
  options: [
    { name: 'recursive', short: 'r', type: 'bool', default: false, description: 'copy all objects under the specified path' },
    {
      name: 'shallow',
      type: 'bool',
      default: false,
      description: 'copy no data between repositories of one block store either: the objects stay in the storage of the source',
    },
  ],
  async run(context, input) {
    const from = context.uri.path(argument(input, 0));
    const to = context.uri.path(argument(input, 1));
    const exact = input.options.recursive !== true;
    const objects =
      from.repository === to.repository
        ? await copyWithin(context, from, to, exact)
        : await copyBetween(context, from, to, { exact, shallow: input.options.shallow === true });
    return { objects };
  },
  render: ({ objects }) => `copied ${objects} ${objects === 1 ? 'object' : 'objects'}`,
});

async function copyWithin(context: CommandContext, from: PathUri, to: PathUri, exact: boolean): Promise<number> {
  const api = await context.client();
  const body = { from: from.path, to: to.path, exact, src_ref: from.ref };
  return (await api.copyPrefix({ repository: to.repository, branch: to.ref, body })).objects;
}

interface BetweenOptions {
  readonly exact: boolean;
  readonly shallow: boolean;
}

async function copyBetween(context: CommandContext, from: PathUri, to: PathUri, { exact, shallow }: BetweenOptions): Promise<number> {
  const api = await context.client();
  const { repository, ref, path: prefix } = from;
  let objects = 0;
  const copy = async (path: string): Promise<void> => {
    const dest_path = to.path + path.slice(prefix.length);
    await api.copyObject({
      repository: to.repository,
      branch: to.ref,
      dest_path,
      body: { src_repo: repository, src_ref: ref, src_path: path, shallow },
    });
    objects++;
  };
  if (exact) await copy(prefix);
  else
    await forEachParallel(
      everything(page => api.listObjects({ repository, ref, prefix, ...page })),
      parallelCopies,
      ({ path }) => copy(path),
    );
  return objects;
}
