/** The part for the command line, which checks action files without a server. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createHooks } from '@srv/kernel';
import plugin from '../src/cli/index.js';
import type { HookType } from '@srv/lib-api/hook-types';

it('knows the properties of Lua hooks', () => {
  const hooks = createHooks();
  plugin.apply({ hooks } as Parameters<typeof plugin.apply>[0]);
  const type: HookType | undefined = hooks.hookType.get('lua')?.call();
  assert.equal(type?.properties.validate({ script: 'x' }).error, undefined);
  assert.match(type?.properties.validate({}).error?.message ?? '', /'script' or 'script_path' must be supplied in properties/);
});
