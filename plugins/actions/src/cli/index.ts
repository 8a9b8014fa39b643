/** The commands of the plugin. */
import { definePlugin } from '@srv/kernel';
import { hookTypesOf } from '../hook-types.js';
import { catHookOutput } from './cat-hook-output.js';
import { runsDescribe } from './describe.js';
import { runsList } from './list.js';
import { runsRerun } from './rerun.js';
import { runFile } from './run.js';
import { validateFiles } from './validate.js';
import type { Command } from '@srv/lib-commands';

export default definePlugin({
  name: 'actions',
  apply({ hooks }) {
    const commands: readonly Command[] = [runsList, runsDescribe, runsRerun, validateFiles(hookTypesOf(hooks)), runFile, catHookOutput];
    hooks.commands.tap('actions', registry => {
      for (const command of commands) registry.add(command, 'actions');
    });
  },
});
