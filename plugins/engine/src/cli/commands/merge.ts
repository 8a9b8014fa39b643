import {
  allowEmptyMessageOption,
  argument,
  defineCommand,
  everything,
  isAnswerError,
  messageOption,
  messageOptions,
  metaOption,
  required,
  sameRepository,
  textOf,
} from '@srv/lib-commands';
import type { CommandContext, RefUri } from '@srv/lib-commands';
import type { Client } from '../../operations/client.js';

/** Conflicting paths shown before the rest is counted. */
const shownConflicts = 20;

export const merge = defineCommand({
  name: 'merge',
  summary: 'Merge & commit changes from source branch into destination branch',
  examples: ['cli merge srv://example-repo/feature srv://example-repo/main -m "add feature"'],
  arguments: [required('source ref', 'srv://<repository>/<ref>'), required('destination ref', 'srv://<repository>/<branch>')],
  options: [
    { name: 'allow-empty', type: 'bool', default: false, description: 'allow merge when the branches have the same content' },
    allowEmptyMessageOption(true),
    {
      name: 'force',
      type: 'bool',
      default: false,
      description: 'allow merge into a read-only branch or into a branch with the same content',
    },
    messageOption,
    metaOption,
    { name: 'squash', type: 'bool', default: false, description: 'squash all changes from source into a single commit on destination' },
    {
      name: 'strategy',
      type: 'string',
      choices: ['dest-wins', 'source-wins'],
      description: 'which side wins in case of a conflict: "dest-wins" or "source-wins"; without it a conflict fails the merge',
    },
  ],
  async run(context, input) {
    const { message, metadata } = messageOptions(input.options);
    const source = context.uri.ref(argument(input, 0), 'source ref');
    const destination = context.uri.branch(argument(input, 1), 'destination ref');
    context.echo('Source', source);
    context.echo('Destination', destination);
    sameRepository(source, destination, 'both references must belong to the same repository');
    const { strategy, force, squash } = input.options;
    const api = await context.client();
    try {
      const { reference } = await api.mergeIntoBranch({
        repository: source.repository,
        sourceRef: source.ref,
        destinationBranch: destination.ref,
        body: {
          message,
          metadata,
          strategy: textOf(strategy),
          force: force === true,
          allow_empty: input.options['allow-empty'] === true,
          squash_merge: squash === true,
        },
      });
      return { source: source.ref, destination: destination.ref, reference };
    } catch (error) {
      if (isAnswerError(error, 409)) await tellConflicts(context, api, source, destination);
      throw isAnswerError(error, 409) ? new Error('Conflict found.', { cause: error }) : error;
    }
  },
  render: ({ source, destination, reference }, { terminal: { colours } }) =>
    `Merged "${colours.yellowBright(source)}" into "${colours.yellowBright(destination)}" to get "${colours.greenBright(reference)}".`,
});

/** Lists the conflicting paths. The merge has failed already, so failures here are ignored. */
async function tellConflicts({ tell, terminal }: CommandContext, api: Client, source: RefUri, destination: RefUri): Promise<void> {
  let count = 0;
  try {
    for await (const { type, path } of everything(page =>
      api.diffRefs({ repository: source.repository, leftRef: destination.ref, rightRef: source.ref, ...page }),
    )) {
      if (type === 'conflict' && ++count <= shownConflicts) tell(terminal.colours.yellowBright(`* conflict ${path}`));
    }
  } catch {
    return;
  }
  if (count > shownConflicts) tell(`and ${count - shownConflicts} more`);
}
