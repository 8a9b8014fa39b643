/** Options the commands of `auth` share, and the facts they print. */
import { filledTextOf, formatDate, textOf } from '@srv/lib-commands';
import type {} from '@srv/engine/operations';
import type { Client } from '@srv/lib-api/client';
import type { CommandContext, CommandInput, CommandOption } from '@srv/lib-commands';

export const userIdOption: CommandOption = {
  name: 'id',
  type: 'string',
  required: true,
  description: 'username (email for password-based users)',
};
export const ownIdOption: CommandOption = {
  name: 'id',
  type: 'string',
  description: 'username (email for password-based users, default: current user)',
};
export const groupIdOption: CommandOption = { name: 'id', type: 'string', required: true, description: 'group identifier' };
export const memberOption: CommandOption = {
  name: 'user',
  type: 'string',
  required: true,
  description: 'username (email for password-based users)',
};
export const policyIdOption: CommandOption = { name: 'id', type: 'string', required: true, description: 'policy identifier' };
export const policyOption: CommandOption = { name: 'policy', type: 'string', required: true, description: 'policy identifier' };

/** The value of a required option. */
export function given({ options }: CommandInput, name: string): string {
  return textOf(options[name]) ?? '';
}

/** The user named by `--id`, else the one whose credentials are used. @throws UsageError for an empty name. */
export async function userOrSelf(api: Client, { options }: CommandInput): Promise<string> {
  return filledTextOf(options, ownIdOption.name) ?? (await api.getCurrentUser({})).user.id;
}

/** Printed after something was created. */
export function createdBlock(
  what: string,
  { id, creation_date: date }: { readonly id: string; readonly creation_date?: number | undefined },
  { terminal: { colours } }: CommandContext,
): string {
  return [
    colours.greenBright(`${what} created successfully.`),
    `ID: ${colours.bold(id)}`,
    ...(date === undefined ? [] : [`Creation Date: ${formatDate(date)}`]),
  ].join('\n');
}
