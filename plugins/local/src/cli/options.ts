/** Arguments and options the commands of `local` share. */
import { noProgressOption, parallelismOption, preSignOption } from '@srv/lib-commands';
import type { CommandArgument } from '@srv/lib-commands';

export const directoryArgument: CommandArgument = {
  name: 'directory',
  description: 'local directory; default: the current one',
  completes: 'path',
};

export const gitignoreOption = {
  name: 'gitignore',
  type: 'bool',
  default: true,
  description: 'add the directory to .gitignore when it is in a git work tree',
} as const;

export const transferOptions = [noProgressOption, parallelismOption, preSignOption] as const;
