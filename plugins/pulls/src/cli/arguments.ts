/** What the commands on one pull request take. */
import { argument, repositoryArgument, required } from '@srv/lib-commands';
import type { CommandContext, CommandInput } from '@srv/lib-commands';

export const pullArguments = [repositoryArgument, required('pull request', 'id of the pull request, as `cli pr list` shows it')];

export function pullOf(context: CommandContext, input: CommandInput): { readonly repository: string; readonly pull_request: string } {
  return { repository: context.uri.repository(argument(input, 0)).repository, pull_request: argument(input, 1) };
}
