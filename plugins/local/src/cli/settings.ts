/** Keys of the command-line tool that the commands of `local` read. */

import { transferKeys } from '@srv/engine/transfer';
import { defineConfig, key } from '@srv/kernel';
import type { Values } from '@srv/kernel';

export const localConfig = defineConfig({
  plugin: 'local',
  keys: {
    ...transferKeys,
    'local.symlink_support': key.bool({
      default: false,
      meaning: 'In local commands keep symbolic links as such; they are never followed',
    }),
    'experimental.local.posix_permissions.enabled': key.bool({ default: false, meaning: 'Keep POSIX permissions when syncing' }),
    'experimental.local.posix_permissions.include_uid': key.bool({ default: false, meaning: 'Store the user ID too' }),
    'experimental.local.posix_permissions.include_gid': key.bool({ default: false, meaning: 'Store the group ID too' }),
  },
});

export type LocalSettings = Values<typeof localConfig.keys>;
