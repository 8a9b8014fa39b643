import { argument, defineCommand, pathArgument } from '@srv/lib-commands';
import { preSignMode } from '../../transfer/index.js';

export const fsPresign = defineCommand({
  name: 'fs presign',
  summary: 'Return a pre-signed URL for reading the specified object',
  examples: ['cli fs presign srv://example-repo/main/images/a.png'],
  arguments: [pathArgument],
  async run(context, input) {
    const { repository, ref, path } = context.uri.path(argument(input, 0));
    const api = await context.client();
    const { enabled } = await preSignMode(api, repository, true);
    if (!enabled) throw new Error('Pre-signed URL support is currently disabled for this server');
    const { physical_address: url, physical_address_expiry: expiry } = await api.statObject({ repository, ref, path, presign: true });
    return { url, expiry };
  },
  render: ({ url }) => url,
});
