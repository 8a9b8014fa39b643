import { argument, defineCommand, pathArgument, preSignOption } from '@srv/lib-commands';
import { preSignMode } from '../../transfer/index.js';
import { statBlock } from './output/objects.js';

export const fsStat = defineCommand({
  name: 'fs stat',
  summary: 'View object metadata',
  examples: ['cli fs stat srv://example-repo/main/images/a.png'],
  arguments: [pathArgument],
  options: [preSignOption],
  async run(context, input) {
    const { repository, ref, path } = context.uri.path(argument(input, 0));
    const api = await context.client();
    const presign = await preSignMode(api, repository, input.options['pre-sign']);
    return api.statObject({ repository, ref, path, user_metadata: true, presign: presign.enabled ? true : undefined });
  },
  render: statBlock,
});
