/** No caller waits for a tap for ever. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HookMap } from 'tapable';
import { createHooks } from '../src/index.js';

interface AsyncHook {
  tapPromise(plugin: string, tap: () => Promise<never>): void;
  promise(...args: unknown[]): Promise<unknown>;
}

/** The kernel limits these itself, by its options. */
const lifecycle = ['start', 'ready', 'stop'];

const keyOf = (hook: string): string => ({ event: 'pre-commit', authenticate: 'headers' })[hook] ?? 'key';

/** The hooks whose taps can be waited for: name -> hook. */
function asyncHooks(): Map<string, AsyncHook> {
  const found = new Map<string, AsyncHook>();
  for (const [name, member] of Object.entries(createHooks()) as [string, object][]) {
    const hook: object = member instanceof HookMap ? (member.for(keyOf(name)) as object) : member;
    if (!lifecycle.includes(name) && !hook.constructor.name.startsWith('Sync')) found.set(name, hook as AsyncHook);
  }
  return found;
}

/** One S3 operation may be the transfer of a large object: its request ends it. */
const unlimited = ['gatewayOperation'];

test('every tap that is waited for has a time limit, whose passing names the plugin and the hook', async context => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const hooks = asyncHooks();
  assert.ok(hooks.size > 10, [...hooks.keys()].join());
  for (const [name, hook] of hooks) {
    hook.tapPromise('hangs', () => new Promise<never>(() => {}));
    const answer = hook.promise({}, {}).then(
      () => 'an answer',
      (error: Error) => error.message,
    );
    context.mock.timers.tick(86_400_000);
    const message = await Promise.race([answer, new Promise(resolve => setImmediate(resolve, 'nothing within a day'))]);
    if (unlimited.includes(name)) assert.equal(message, 'nothing within a day', name);
    else assert.match(String(message), new RegExp(`^plugin hangs in ${name}(\\[.*\\])? did not finish within \\d+[hms]`), name);
  }
});
