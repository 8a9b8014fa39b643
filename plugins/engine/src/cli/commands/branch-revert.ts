import { UsageError, argument, branchArgument, defineCommand, yesOption } from '@srv/lib-commands';
import type { OptionValue } from '@srv/lib-commands';

export const branchRevert = defineCommand({
  name: 'branch revert',
  summary: 'Given a commit, record a new commit to reverse the effect of this commit',
  description: 'The commits are reverted in left-to-right order, each recording a new commit on the branch.',
  examples: [
    'cli branch revert srv://example-repo/example-branch main',
    'cli branch revert srv://example-repo/example-branch main~1 main~2 main~3',
  ],
  arguments: [branchArgument, { name: 'commit ref', description: 'commit to revert, or several', required: true, variadic: true }],
  options: [
    { name: 'allow-empty-commit', type: 'bool', default: false, description: 'allow a commit without changes' },
    {
      name: 'parent-number',
      short: 'm',
      type: 'int',
      description: 'the parent number (starting from 1) of the mainline, for merge commits',
    },
    yesOption,
  ],
  async run(context, input) {
    const uri = context.uri.branch(argument(input, 0));
    context.echo('Branch', uri);
    const refs = input.args.slice(1);
    const parentNumber = parentNumberOf(input.options['parent-number']) ?? 0;
    await context.confirm('Revert', `Are you sure you want to revert the effect of commits ${refs.join(', ')}`, input.options.yes);
    const api = await context.client();
    const done: { reverted: string }[] = [];
    for (const ref of refs) {
      await api
        .revertBranch({
          repository: uri.repository,
          branch: uri.ref,
          body: { ref, parent_number: parentNumber, allow_empty: input.options['allow-empty-commit'] === true },
        })
        .catch((error: unknown) => {
          if (done.length > 0) context.tell(`reverted before the failure: ${done.map(d => d.reverted).join(', ')}`);
          throw error;
        });
      done.push({ reverted: ref });
    }
    return done;
  },
  render: done => done.map(({ reverted }) => `commit ${reverted} successfully reverted`).join('\n'),
});

/** @throws UsageError for a number below 1. */
export function parentNumberOf(value: OptionValue): number | undefined {
  if (typeof value !== 'number') return undefined;
  if (value <= 0) throw new UsageError(`--parent-number: ${value} is not a number from 1 on`);
  return value;
}
