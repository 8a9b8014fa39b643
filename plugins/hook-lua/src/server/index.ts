/** The plugin: hooks of the type `lua`. */
import { definePlugin } from '@srv/kernel';
import { OperationList } from '@srv/lib-api';
import section from '../config.js';
import { luaHook } from './lua-hook.js';
import { Runner } from './runner.js';
import type { AnyOperation } from '@srv/lib-api';

export default definePlugin({
  name: 'hook-lua',
  apply(kernel) {
    let runner: Runner | undefined;
    let operations: readonly AnyOperation[] | undefined;
    const listed = (): readonly AnyOperation[] => {
      const table = new OperationList();
      kernel.hooks.operations.call(table);
      return table.list();
    };
    const hook = luaHook({
      runner: () => (runner ??= new Runner()),
      netHttp: () => kernel.config.values(section.keys)['actions.lua.net_http_enabled'],
      log: kernel.log,
      operations: () => (operations ??= listed()),
      count: activity => kernel.hooks.activity.call(activity),
    });
    kernel.hooks.hookType.for('lua').tap('hook-lua', () => hook);
    kernel.hooks.stop.tapPromise('hook-lua', async () => {
      // Hooks under way are the business of the plugin that runs actions, which may stop after this one.
      await runner?.retire();
    });
  },
});
