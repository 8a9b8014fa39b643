/** Slips of a plugin author's finger are refused, with what may be meant, instead of never being called. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kernel, definePlugin, eventTypes } from '../src/index.js';
import type { Hooks } from '../src/index.js';

function load(apply: (hooks: Hooks) => void): Promise<Kernel> {
  const plugin = definePlugin({ name: 'slip', apply: ({ hooks }) => apply(hooks) });
  return new Kernel({ part: 'server', inline: [{ plugin }], switches: {} }).load();
}

test('a hook that does not exist', async () => {
  const misspelt = (hooks: Hooks): void => {
    const start: unknown = Reflect.get(hooks, 'strat');
    assert.fail(`there is one: ${String(start)}`);
  };
  await assert.rejects(() => load(misspelt), /^SrvError: plugin slip failed in apply: there is no hook "strat"; did you mean start\?$/);
});

test('an event that does not exist; every one that does can be tapped', async () => {
  const tap = (type: string) => (hooks: Hooks) => hooks.event.for(type).tapPromise('slip', async () => {});
  await assert.rejects(() => load(tap('pre-comit')), /event has no key "pre-comit"; did you mean pre-commit\?$/);
  for (const type of eventTypes) await load(tap(type));
});

test('a kind of credentials that does not exist', async () => {
  const misspelt = (hooks: Hooks): void => hooks.authenticate.for('header').tapPromise('slip', async () => undefined);
  await assert.rejects(() => load(misspelt), /authenticate has no key "header"; did you mean headers\?$/);
});

test('inspecting hooks shows them unchanged', async () => {
  const { hooks } = await load(() => {});
  assert.equal(await Promise.resolve(hooks), hooks);
  assert.ok(JSON.stringify(Object.keys(hooks)).includes('gatewayOperation'));
});
