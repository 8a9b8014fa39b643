import { defineCommand, pathArgument } from '@srv/lib-commands';
import { directoryArgument, gitignoreOption, transferOptions } from './options.js';
import { summary } from './sync/render.js';

export const localClone = defineCommand({
  name: 'local clone',
  localEffects: true,
  summary: 'Download a path of a repository to a new directory and link the two',
  description: 'The directory must be empty, or contain an interrupted clone of the same path, which is completed.',
  examples: ['cli local clone srv://example-repo/main/images/ images'],
  arguments: [pathArgument, directoryArgument],
  options: [...transferOptions, gitignoreOption],
  run: async (context, input) => (await import('./sync/clone.js')).clone(context, input),
  render: (cloned, { terminal }) => `Successfully cloned ${cloned.uri} to ${cloned.directory}.\n${summary('Clone', cloned, terminal)}`,
});
