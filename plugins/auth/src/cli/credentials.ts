import { defineCommand, formatDate, listed, paginationOptions, table } from '@srv/lib-commands';
import { given, ownIdOption, userOrSelf } from './options.js';
import type { CommandOption } from '@srv/lib-commands';

const accessKeyOption: CommandOption = { name: 'access-key-id', type: 'string', required: true, description: 'access key ID' };

export const authUsersCredentialsCreate = defineCommand({
  name: 'auth users credentials create',
  summary: 'Create an access key for a user; its secret is shown this once',
  examples: ['cli auth users credentials create', 'cli auth users credentials create --id bob'],
  options: [ownIdOption],
  async run(context, input) {
    const api = await context.client();
    return api.createCredentials({ userId: await userOrSelf(api, input) });
  },
  render: ({ access_key_id: id, secret_access_key: secret }, { terminal: { colours } }) =>
    [
      colours.greenBright('Credentials created successfully.'),
      `Access Key ID: ${colours.bold(id)}`,
      `Secret Access Key: ${colours.bold(secret)}`,
      '',
      colours.yellowBright('Keep these somewhere safe since you will not be able to see the secret key again'),
    ].join('\n'),
});

export const authUsersCredentialsDelete = defineCommand({
  name: 'auth users credentials delete',
  summary: 'Delete an access key of a user',
  examples: ['cli auth users credentials delete --access-key-id AKIAIOSFODNN7EXAMPLE --id bob'],
  options: [accessKeyOption, ownIdOption],
  async run(context, input) {
    const api = await context.client();
    const id = given(input, 'access-key-id');
    await api.deleteCredentials({ userId: await userOrSelf(api, input), accessKeyId: id });
    return { id };
  },
  render: () => 'Credentials deleted successfully.',
});

export const authUsersCredentialsList = defineCommand({
  name: 'auth users credentials list',
  summary: 'List the access keys of a user',
  examples: ['cli auth users credentials list', 'cli auth users credentials list --id bob'],
  options: [ownIdOption, ...paginationOptions],
  async run(context, input) {
    const api = await context.client();
    const userId = await userOrSelf(api, input);
    return listed(context, input, query => api.listUserCredentials({ userId, ...query }));
  },
  render: ({ results }, { terminal }) =>
    table(
      ['Access Key ID', 'Issued Date'],
      results.map(c => [c.access_key_id, formatDate(c.creation_date)]),
      terminal,
    ),
});
