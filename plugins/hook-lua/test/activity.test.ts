/** What scripts use is counted for statistics. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definePlugin } from '@srv/kernel';
import { startHookServer } from './hook.js';
import type { Activity } from '@srv/kernel';

test('modules are counted once per script, however often it loads them', async t => {
  const counted: Activity[] = [];
  const listener = definePlugin({
    name: 'listener',
    apply: ({ hooks }) => hooks.activity.tap('listener', activity => counted.push(activity)),
  });
  const server = await startHookServer({ inline: [{ plugin: listener }] });
  t.after(server.stop);
  const { failure } = await server.runHook(`
    for i = 1, 1000 do
      package.loaded["encoding/json"] = nil
      require("encoding/json")
    end
    require("strings")
    package.preload.own = function() return {} end
    require("own")`);
  assert.equal(failure, undefined);
  const scripts = counted.filter(activity => activity.class === 'lua_hooks');
  assert.deepEqual(
    scripts.map(({ name }) => name),
    ['encoding/json', 'strings'],
  );
  assert.deepEqual([scripts[0]?.repository, scripts[0]?.user], ['lakes', 'admin']);
});
