import { UsageError, argument, defineCommand, pathArgument } from '@srv/lib-commands';

export const fsMv = defineCommand({
  name: 'fs mv',
  summary: 'Move objects within a branch',
  description:
    'Move an object or, with -r, everything whose path begins with the given one, to another path of the branch; end both with / for folders. No data is copied. What has the new path is replaced.',
  examples: [
    'cli fs mv srv://example-repo/dev/images/a.png srv://example-repo/dev/images/z.png',
    'cli fs mv -r srv://example-repo/dev/images/ srv://example-repo/dev/pictures/',
  ],
  arguments: [pathArgument, pathArgument],
  options: [{ name: 'recursive', short: 'r', type: 'bool', default: false, description: 'move all objects under the specified path' }],
  async run(context, input) {
    const from = context.uri.path(argument(input, 0));
    const to = context.uri.path(argument(input, 1));
    if (from.repository !== to.repository || from.ref !== to.ref)
      throw new UsageError('objects are moved within one branch; to take them elsewhere, use `fs cp`, then `fs rm`');
    const api = await context.client();
    const body = { from: from.path, to: to.path, exact: input.options.recursive !== true, move: true };
    return api.copyPrefix({ repository: to.repository, branch: to.ref, body });
  },
  render: ({ objects }) => `moved ${objects} ${objects === 1 ? 'object' : 'objects'}`,
});
