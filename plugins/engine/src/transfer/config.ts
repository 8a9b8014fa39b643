/** Keys of the command-line tool that every transfer of folders obeys. */
import { key } from '@srv/kernel';

export const transferKeys = {
  'local.skip_non_regular_files': key.bool({ default: false, meaning: 'Skip symbolic links and other special files instead of failing' }),
} as const;
