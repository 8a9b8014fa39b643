import { argument, defineCommand, everything, refArgument, sameRepository, textOf } from '@srv/lib-commands';
import type { CommandContext, Terminal } from '@srv/lib-commands';

type DiffType = 'added' | 'removed' | 'changed' | 'conflict' | 'prefix_changed';

/** Sign, word and colour of each kind of change. */
const kinds: Readonly<Record<DiffType, readonly [sign: string, word: string, colour: 'green' | 'red' | 'yellow' | 'yellowBright']>> = {
  added: ['+', 'added', 'green'],
  removed: ['-', 'removed', 'red'],
  changed: ['~', 'modified', 'yellow'],
  prefix_changed: ['~', 'modified', 'yellow'],
  conflict: ['*', 'conflict', 'yellowBright'],
};

export const diff = defineCommand({
  name: 'diff',
  summary: 'Show changes between two commits, or the currently uncommitted changes',
  description: [
    'With one ref, shows the uncommitted changes of that branch.',
    'With two refs, shows what changed in the second since their last common commit; uncommitted changes are left out,',
    'unless a branch is written with a trailing $.',
    'With --two-way, shows how the two differ.',
  ].join('\n'),
  examples: [
    'cli diff srv://example-repo/example-branch',
    'cli diff srv://example-repo/main srv://example-repo/dev',
    'cli diff --two-way srv://example-repo/main srv://example-repo/dev$',
    'cli diff --prefix some/path srv://example-repo/main srv://example-repo/dev',
  ],
  arguments: [refArgument, { name: 'ref URI to compare', description: 'srv://<repository>/<ref>' }],
  options: [
    { name: 'prefix', type: 'string', description: 'show only changes under this prefix' },
    { name: 'two-way', type: 'bool', default: false, description: 'compare the two refs themselves, not with their last common commit' },
  ],
  async run(context, input) {
    const prefix = textOf(input.options.prefix);
    const prefixed = prefix ? { prefix } : {};
    return input.args.length > 1
      ? refs(context, argument(input, 0), argument(input, 1), input.options['two-way'] === true, prefixed)
      : uncommitted(context, argument(input, 0), prefixed);
  },
  render: ({ type, path }, { terminal }) => diffLine(type, path, terminal),
});

async function uncommitted(context: CommandContext, ref: string, prefixed: { readonly prefix?: string }) {
  const branch = context.uri.branch(ref, 'branch URI');
  context.echo('Ref', branch);
  const api = await context.client();
  return everything(page => api.diffBranch({ repository: branch.repository, branch: branch.ref, ...prefixed, ...page }));
}

async function refs(context: CommandContext, left: string, right: string, twoWay: boolean, prefixed: { readonly prefix?: string }) {
  const [leftUri, rightUri] = [context.uri.ref(left, 'left ref'), context.uri.ref(right, 'right ref')];
  context.echo('Left ref', leftUri);
  context.echo('Right ref', rightUri);
  sameRepository(leftUri, rightUri, 'both references must belong to the same repository');
  const api = await context.client();
  const request = {
    repository: leftUri.repository,
    leftRef: leftUri.ref,
    rightRef: rightUri.ref,
    type: twoWay ? 'two_dot' : 'three_dot',
    ...prefixed,
  } as const;
  return everything(page => api.diffRefs({ ...request, ...page }));
}

/** One change, coloured as a whole. */
export function diffLine(type: DiffType, path: string, { colours }: Pick<Terminal, 'colours'>): string {
  const [sign, word, colour] = kinds[type];
  return colours[colour](`${sign} ${word} ${path}`);
}
