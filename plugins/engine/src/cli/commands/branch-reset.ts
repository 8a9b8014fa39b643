import { UsageError, argument, branchArgument, defineCommand, filledTextOf, yesOption } from '@srv/lib-commands';

export const branchReset = defineCommand({
  name: 'branch reset',
  summary: 'Reset uncommitted changes - all of them, or by path',
  examples: [
    'cli branch reset srv://example-repo/dev',
    'cli branch reset srv://example-repo/dev --prefix images/',
    'cli branch reset srv://example-repo/dev --hard main~2',
  ],
  description:
    'Reset changes. There are four ways:\n  1. reset all uncommitted changes - reset srv://myrepo/main\n  2. reset uncommitted changes under a specific path - reset srv://myrepo/main --prefix path\n  3. reset uncommitted changes for a specific object - reset srv://myrepo/main --object path\n  4. move a branch without uncommitted changes to another commit - reset srv://myrepo/main --hard main~2',
  arguments: [branchArgument],
  options: [
    { name: 'hard', type: 'string', description: 'ref of the commit to move the branch to' },
    { name: 'object', type: 'string', description: 'path to the object to be reset' },
    { name: 'prefix', type: 'string', description: 'prefix of the objects to be reset' },
    yesOption,
  ],
  async run(context, input) {
    const uri = context.uri.branch(argument(input, 0));
    context.echo('Branch', uri);
    const { repository, ref: branch } = uri;
    const [hard, object, prefix] = ['hard', 'object', 'prefix'].map(name => filledTextOf(input.options, name));
    if (hard !== undefined && (object ?? prefix) !== undefined)
      throw new UsageError('--hard moves the whole branch: leave out --object and --prefix');
    const { question, body } = scope(branch, object, prefix);
    await context.confirm(
      'Reset',
      hard === undefined ? question : `Are you sure you want to move branch: ${branch} to ${hard}`,
      input.options.yes,
    );
    const api = await context.client();
    if (hard === undefined) return api.resetBranch({ repository, branch, body });
    return api.hardResetBranch({ repository, branch, ref: hard });
  },
});

/** What to reset; a prefix wins over an object. */
function scope(branch: string, object: string | undefined, prefix: string | undefined) {
  if (prefix !== undefined)
    return {
      question: `Are you sure you want to reset all changes from path: ${prefix} to last commit`,
      body: { type: 'common_prefix', path: prefix } as const,
    };
  if (object !== undefined)
    return {
      question: `Are you sure you want to reset all changes for object: ${object} to last commit`,
      body: { type: 'object', path: object } as const,
    };
  return { question: `Are you sure you want to reset all uncommitted changes of branch: ${branch}`, body: { type: 'reset' } as const };
}
