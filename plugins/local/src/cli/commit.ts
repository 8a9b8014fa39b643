import { allowEmptyMessageOption, commitBlock, defineCommand, messageOption, metaOption, yesOption } from '@srv/lib-commands';
import { directoryArgument, transferOptions } from './options.js';
import { summary } from './sync/render.js';

export const localCommit = defineCommand({
  name: 'local commit',
  localEffects: true,
  summary: 'Upload the changes of a local directory and commit them to the linked branch',
  description: [
    'Refuses when both sides changed the same path. What others committed meanwhile is downloaded.',
    'Changes of others to the linked path that are not committed yet become part of the commit.',
    'A commit that was interrupted is completed, after asking.',
  ].join('\n'),
  examples: ['cli local commit -m "sort images" images', 'cli local commit -m "sort images" --meta source=camera images'],
  arguments: [directoryArgument],
  options: [
    ...transferOptions,
    allowEmptyMessageOption(false),
    {
      name: 'force',
      type: 'bool',
      default: false,
      description: 'commit even if the branch has uncommitted changes outside of the linked path',
    },
    messageOption,
    metaOption,
    yesOption,
  ],
  run: async (context, input) => (await import('./sync/commit.js')).commit(context, input),
  render: (made, { terminal }) =>
    made.commit
      ? `${summary('Sync', made, terminal)}\n${commitBlock(made.branch, made.commit, terminal)}`
      : summary('Sync', made, terminal),
});
