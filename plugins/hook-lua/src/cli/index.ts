/** On the command line the type is known by its properties, to check action files. */
import { SrvError, definePlugin } from '@srv/kernel';
import { luaProperties } from '../server/properties.js';
import type { HookType } from '@srv/lib-api/hook-types';
import type { LuaProperties } from '../server/properties.js';

const luaHook: HookType<LuaProperties> = {
  properties: luaProperties,
  run: () => Promise.reject(new SrvError('unsupported', 'Lua hooks run on the server')),
};

export default definePlugin({
  name: 'hook-lua',
  apply: ({ hooks }) => hooks.hookType.for('lua').tap('hook-lua', () => luaHook),
});
