import { argument, defineCommand, formatUri, pathArgument } from '@srv/lib-commands';
import { directoryArgument, gitignoreOption } from './options.js';

export const localInit = defineCommand({
  name: 'local init',
  localEffects: true,
  summary: 'Link a local directory with a path in a repository',
  description: 'Writes .srv_ref.yaml into the directory. No data is transferred: "cli local status" shows the differences.',
  examples: ['cli local init srv://example-repo/main/images/ images'],
  arguments: [pathArgument, directoryArgument],
  options: [{ name: 'force', type: 'bool', default: false, description: 'link a directory that is linked already' }, gitignoreOption],
  async run(context, input) {
    const [{ readIndex, writeIndex }, { linkTarget, prepareFolder, warnOfCase }, { locked }, { folderArgument }] = await Promise.all([
      import('./sync/index-file.js'),
      import('./sync/link.js'),
      import('./sync/lock.js'),
      import('./sync/workspace.js'),
    ]);
    const uri = context.uri.path(argument(input, 0));
    const directory = folderArgument(context, input.args[1]);
    if (input.options.force !== true && (await readIndex(directory)))
      throw new Error(`directory '${directory}' already linked to a srv path, run command with --force to overwrite`);
    const { src, head } = await linkTarget(context, uri);
    await prepareFolder(context, directory, input.options.gitignore !== false);
    await locked(directory, () => writeIndex(directory, { src, head }, Date.now()));
    await warnOfCase(context, directory);
    return { id: head, directory, uri: formatUri(src) };
  },
  render: ({ directory, uri }) => `Successfully linked local directory '${directory}' with remote '${uri}'`,
});
