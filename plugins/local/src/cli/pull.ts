import { defineCommand } from '@srv/lib-commands';
import { directoryArgument, transferOptions } from './options.js';
import { summary } from './sync/render.js';

export const localPull = defineCommand({
  name: 'local pull',
  localEffects: true,
  summary: 'Update a local directory with the latest commits of the linked path',
  description: [
    'Refuses when there are local changes, unless --force is given: then the directory becomes as the remote path is,',
    'and local changes are lost. A pull that was interrupted is completed.',
  ].join('\n'),
  examples: ['cli local pull images', 'cli local pull --force images'],
  arguments: [directoryArgument],
  options: [...transferOptions, { name: 'force', type: 'bool', default: false, description: 'reset uncommitted local changes' }],
  run: async (context, input) => (await import('./sync/pull.js')).pull(context, input),
  render: (pulled, { terminal }) => `Successfully synced changes!\n${summary('Pull', pulled, terminal)}`,
});
