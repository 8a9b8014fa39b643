/** `auth users aws-iam …`: which roles and users of AWS stand for a user. */
import { defineCommand, hintMore, pageQuery, paginationOptions, table, textOf } from '@srv/lib-commands';
import type { CommandContext, CommandInput, CommandOption } from '@srv/lib-commands';
import type {} from '@srv/lib-engine-operations';
import type {} from '../operations.js';

const idOption: CommandOption = { name: 'id', type: 'string', description: 'username (default: current user)' };
const principalOption: CommandOption = {
  name: 'principal-id',
  type: 'string',
  required: true,
  description: 'ARN, such as arn:aws:sts::123456789012:assumed-role/Dev, with or without a session name',
};

async function clientAndUser(context: CommandContext, { options }: CommandInput) {
  const api = await context.client();
  return { api, userId: textOf(options['id']) || (await api.getCurrentUser({})).user.id };
}

const principalOf = ({ options }: CommandInput): string => textOf(options['principal-id']) ?? '';

const attach = defineCommand({
  name: 'auth users aws-iam attach',
  summary: 'Let an AWS IAM principal log in as a user',
  examples: ['cli auth users aws-iam attach --id ann --principal-id arn:aws:sts::123456789012:assumed-role/Dev'],
  options: [idOption, principalOption],
  async run(context, input) {
    const { api, userId } = await clientAndUser(context, input);
    await api.createUserExternalPrincipal({ userId, principalId: principalOf(input) });
    return { id: principalOf(input), user_id: userId };
  },
  render: ({ id, user_id: user }) => `${id} stands for ${user}.`,
});

const detach = defineCommand({
  name: 'auth users aws-iam detach',
  summary: 'Stop an AWS IAM principal from logging in as a user',
  examples: ['cli auth users aws-iam detach --id ann --principal-id arn:aws:sts::123456789012:assumed-role/Dev'],
  options: [idOption, principalOption],
  async run(context, input) {
    const { api, userId } = await clientAndUser(context, input);
    await api.deleteUserExternalPrincipal({ userId, principalId: principalOf(input) });
    return { id: principalOf(input), user_id: userId };
  },
  render: ({ id, user_id: user }) => `${id} no longer stands for ${user}.`,
});

const list = defineCommand({
  name: 'auth users aws-iam list',
  summary: 'List the principals of a user',
  examples: ['cli auth users aws-iam list --id ann'],
  options: [idOption, ...paginationOptions],
  async run(context, input) {
    const { api, userId } = await clientAndUser(context, input);
    const query = pageQuery(input);
    return hintMore(context, await api.listUserExternalPrincipals({ userId, ...query }), query.amount);
  },
  render: ({ results }, { terminal }) =>
    table(
      ['Principal ID', 'User'],
      results.map(({ id, user_id: user }) => [id, user]),
      terminal,
    ),
});

const lookup = defineCommand({
  name: 'auth users aws-iam lookup',
  summary: 'Show the user of a principal',
  examples: ['cli auth users aws-iam lookup --principal-id arn:aws:sts::123456789012:assumed-role/Dev'],
  options: [principalOption],
  run: async (context, input) => (await context.client()).getExternalPrincipal({ principalId: principalOf(input) }),
  render: ({ id, user_id: user }) => `${id} stands for ${user}.`,
});

export const awsIamCommands = [attach, detach, list, lookup];
