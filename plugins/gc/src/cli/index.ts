/** The commands of the plugin. */
import { definePlugin } from '@srv/kernel';
import { gcDeleteConfig } from './delete-config.js';
import { gcGetConfig } from './get-config.js';
import { gcExplain, gcList, gcPurge, gcRestore, gcShow, gcStatus } from './inspect.js';
import { lifecycleLog, lifecycleRun } from './lifecycle-runs.js';
import { lifecycleDelete, lifecycleSet, lifecycleShow } from './lifecycle-settings.js';
import { gcRun } from './run.js';
import { gcSetConfig } from './set-config.js';
import type { Command } from '@srv/lib-commands';

const commands: readonly Command[] = [
  gcGetConfig,
  gcSetConfig,
  gcDeleteConfig,
  gcRun,
  gcStatus,
  gcList,
  gcShow,
  gcExplain,
  gcRestore,
  gcPurge,
  lifecycleShow,
  lifecycleSet,
  lifecycleDelete,
  lifecycleRun,
  lifecycleLog,
];

export default definePlugin({
  name: 'gc',
  apply({ hooks }) {
    hooks.commands.tap('gc', registry => {
      for (const command of commands) registry.add(command, 'gc');
    });
  },
});
