import {
  allowEmptyMessageOption,
  argument,
  branchArgument,
  commitBlock,
  defineCommand,
  messageOption,
  messageOptions,
  metaOption,
  numberOf,
} from '@srv/lib-commands';

export const commit = defineCommand({
  name: 'commit',
  summary: 'Commit changes on a given branch',
  examples: ['cli commit srv://example-repo/main -m "add images" --meta source=camera'],
  arguments: [branchArgument],
  options: [
    { name: 'allow-empty-commit', type: 'bool', default: false, description: 'allow a commit without changes' },
    allowEmptyMessageOption(false),
    { name: 'epoch-time-seconds', type: 'int', default: -1, hidden: true, description: 'time of the commit, Unix seconds' },
    messageOption,
    metaOption,
  ],
  async run(context, input) {
    const { message, metadata } = messageOptions(input.options);
    const uri = context.uri.branch(argument(input, 0));
    context.echo('Branch', uri);
    const date = numberOf(input.options['epoch-time-seconds']) ?? -1;
    const api = await context.client();
    const made = await api.commit({
      repository: uri.repository,
      branch: uri.ref,
      body: { message, metadata, allow_empty: input.options['allow-empty-commit'] === true, date: date < 0 ? undefined : date },
    });
    return { branch: uri.ref, ...made };
  },
  render: (made, { terminal }) => commitBlock(made.branch, made, terminal),
});
