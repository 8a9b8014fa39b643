import { defineCommand, formatDate } from '@srv/lib-commands';

export const identity = defineCommand({
  name: 'identity',
  summary: 'Show identity info',
  examples: ['cli identity'],
  async run(context) {
    const api = await context.client();
    const { user } = await api.getCurrentUser({});
    return user;
  },
  render: ({ id, email, creation_date: date }, { terminal: { colours } }) =>
    [`User ID: ${colours.yellowBright(id)}`, `Email: ${colours.blueBright(email ?? '')}`, `Creation Date: ${formatDate(date)}`].join('\n'),
});
