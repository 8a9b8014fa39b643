import { argument, defineCommand, pathArgument, preSignOption } from '@srv/lib-commands';
import { preSignMode } from '../../transfer/index.js';

export const fsCat = defineCommand({
  name: 'fs cat',
  summary: 'Dump content of object to stdout',
  examples: ['cli fs cat srv://example-repo/main/images/a.png'],
  arguments: [pathArgument],
  options: [preSignOption],
  async run(context, input) {
    const uri = context.uri.path(argument(input, 0));
    const api = await context.client();
    const presign = await preSignMode(api, uri.repository, input.options['pre-sign']);
    const { body } = await api.getObject({
      repository: uri.repository,
      ref: uri.ref,
      path: uri.path,
      presign: presign.enabled ? true : undefined,
    });
    return body;
  },
});
