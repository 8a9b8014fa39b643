/** `auth users aws-iam …`: which roles and users of AWS stand for a user. */
import { defineCommand, filledTextOf, listed, paginationOptions, table, textOf } from '@srv/lib-commands';
import type {} from '@srv/engine/operations';
import type { CommandContext, CommandInput, CommandOption } from '@srv/lib-commands';
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
  return { api, userId: filledTextOf(options, idOption.name) ?? (await api.getCurrentUser({})).user.id };
}

const principalOf = ({ options }: CommandInput): string => textOf(options['principal-id']) ?? '';

type Change = (
  api: Awaited<ReturnType<CommandContext['client']>>,
  mapping: { readonly userId: string; readonly principalId: string },
) => Promise<unknown>;

/** A command that changes which user a principal belongs to. */
const mappingCommand = (verb: string, summary: string, { change, done }: { readonly change: Change; readonly done: string }) =>
  defineCommand({
    name: `auth users aws-iam ${verb}`,
    summary,
    examples: [`cli auth users aws-iam ${verb} --id ann --principal-id arn:aws:sts::123456789012:assumed-role/Dev`],
    options: [idOption, principalOption],
    async run(context, input) {
      const { api, userId } = await clientAndUser(context, input);
      await change(api, { userId, principalId: principalOf(input) });
      return { id: principalOf(input), user_id: userId };
    },
    render: ({ id, user_id: user }) => `${id} ${done} ${user}.`,
  });

const attach = mappingCommand('attach', 'Let an AWS IAM principal log in as a user', {
  change: (api, mapping) => api.createUserExternalPrincipal(mapping),
  done: 'stands for',
});

const detach = mappingCommand('detach', 'Stop an AWS IAM principal from logging in as a user', {
  change: (api, mapping) => api.deleteUserExternalPrincipal(mapping),
  done: 'no longer stands for',
});

const list = defineCommand({
  name: 'auth users aws-iam list',
  summary: 'List the principals of a user',
  examples: ['cli auth users aws-iam list --id ann'],
  options: [idOption, ...paginationOptions],
  async run(context, input) {
    const { api, userId } = await clientAndUser(context, input);
    return listed(context, input, query => api.listUserExternalPrincipals({ userId, ...query }));
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
