import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SrvError, deadline, definePlugin, silentLogger } from '../src/index.js';
import { inline, storesPlugin, testKernel } from './packages.js';
import type { InlinePlugin, Kernel, LogFields, Logger } from '../src/index.js';

/** A plugin that notes its start and stop. */
function noting(
  name: string,
  events: string[],
  requires: readonly string[] = [],
  stop: () => Promise<void> = async () => {},
): InlinePlugin {
  return inline(
    name,
    ({ hooks }) => {
      hooks.start.tapPromise(name, async () => void events.push(`start ${name}`));
      hooks.stop.tapPromise(name, async () => {
        events.push(`stop ${name}`);
        await stop();
      });
    },
    requires,
  );
}

async function started(plugins: readonly InlinePlugin[], stopTimeout = 1000): Promise<Kernel> {
  const kernel = await testKernel(plugins, { stopTimeout }).load();
  await kernel.configure();
  return kernel.start();
}

test('plugins start in order and stop in reverse, the stores last', async () => {
  const events: string[] = [];
  const kernel = await started([storesPlugin(events), noting('a', events), noting('b', events, ['a'])]);
  assert.equal(kernel.services.get('kv').type, 'local');
  await kernel.stop();
  await kernel.stop();
  assert.deepEqual(events, ['start a', 'start b', 'stop b', 'stop a', 'close block', 'close kv']);
});

test('after a stop while a plugin starts, no further plugin starts, and the start fails', async () => {
  const events: string[] = [];
  let proceed = (): void => {};
  const waits = inline('waits', ({ hooks }) => {
    hooks.start.tapPromise('waits', async () => {
      events.push('start waits');
      await new Promise<void>(resolve => (proceed = resolve));
    });
  });
  const kernel = await testKernel([storesPlugin(events), waits, noting('last', events)]).load();
  await kernel.configure();
  const starting = kernel.start();
  while (events.length === 0) await new Promise(setImmediate);
  await kernel.stop();
  proceed();
  await assert.rejects(starting, { code: 'closed' });
  assert.deepEqual(events, ['start waits', 'stop last', 'close block', 'close kv']);
});

test('stores that open while the kernel stops are closed', async () => {
  const events: string[] = [];
  for (const hook of ['openKvStore', 'openBlockStore'] as const) {
    let proceed = (): void => {};
    const opening = new Promise<void>(resolve => (proceed = resolve));
    let begun = false;
    const slow = inline('stores', kernel => {
      void storesPlugin(events).plugin.apply(kernel);
      const delay = async (): Promise<never> => {
        begun = true;
        await opening;
        // The next tap opens it.
        return undefined as never;
      };
      if (hook === 'openKvStore') kernel.hooks.openKvStore.for('local').tapPromise({ name: 'stores', stage: -1 }, delay);
      else kernel.hooks.openBlockStore.for('mem').tapPromise({ name: 'stores', stage: -1 }, delay);
    });
    const kernel = await testKernel([slow, noting('last', events)]).load();
    await kernel.configure();
    const starting = kernel.start();
    while (!begun) await new Promise(setImmediate);
    await kernel.stop();
    proceed();
    await assert.rejects(starting, { code: 'closed' });
    assert.deepEqual(events.splice(0), ['stop last', 'close block', 'close kv'], hook);
  }
});

test('a stop that hangs is named after its time limit; the others still stop', async () => {
  const events: string[] = [];
  const hangs = noting('hangs', events, [], () => new Promise(() => {}));
  const fails = noting('fails', events, [], () => Promise.reject(new Error('disk full')));
  const kernel = await started([storesPlugin(events), noting('first', events), hangs, fails, noting('last', events)], 50);
  await assert.rejects(kernel.stop(), {
    code: 'plugin',
    message:
      /^plugin fails failed in stop: disk full \(at .*lifecycle\.test\.[jt]s:\d+:\d+\); plugin hangs failed in stop: stop did not finish within 50ms$/,
  });
  assert.deepEqual(events.slice(4), ['stop last', 'stop fails', 'stop hangs', 'stop first', 'close block', 'close kv']);
});

test('a plugin that throws in apply is named', async () => {
  await assert.rejects(
    testKernel([
      inline('bad', () => {
        throw new Error('no luck');
      }),
    ]).load(),
    { code: 'plugin', message: /^plugin bad failed in apply: no luck \(at .*kernel\/.*lifecycle\.test\.[jt]s:\d+:\d+\)$/ },
  );
});

test('a plugin that fails to start is named, keeps its code, and stops what was started', async () => {
  const events: string[] = [];
  const bad = inline('bad', ({ hooks }) =>
    hooks.start.tapPromise('bad', async () => {
      throw new SrvError('unavailable', 'no database');
    }),
  );
  await assert.rejects(started([storesPlugin(events), noting('a', events), bad]), {
    code: 'unavailable',
    message: 'plugin bad failed in start: no database',
  });
  assert.deepEqual(events, ['start a', 'stop a', 'close block', 'close kv']);
});

test('taps bear the name of their plugin; stop wants promises', async () => {
  const wrong = inline('right', ({ hooks }) => hooks.start.tapPromise('wrong', async () => {}));
  await assert.rejects(testKernel([wrong]).load(), {
    code: 'plugin',
    message: "plugin right taps start as wrong; taps must bear the plugin's own name",
  });
  const inMap = inline('right', ({ hooks }) => {
    hooks.event.for('pre-commit').tapPromise('other', async () => {});
  });
  await assert.rejects(testKernel([inMap]).load(), { message: /taps event\[pre-commit\] as other/ });
  const callback = inline('old', ({ hooks }) => hooks.stop.tapAsync('old', done => done()));
  await assert.rejects(testKernel([callback]).load(), { message: /plugin old taps stop with a callback; use tapPromise/ });
  assert.throws(() => definePlugin({ name: 'Not Good', apply() {} }), { code: 'plugin', message: /plugin name "Not Good" must be/ });
});

test('a type that no plugin opens is a configuration error with a remedy, and leaves nothing open', async () => {
  await assert.rejects(started([]), {
    code: 'config',
    message: 'database.type: no enabled plugin opens "local" (no enabled plugin offers any)',
  });
  const events: string[] = [];
  const onlyKv = inline('stores', kernel => {
    void storesPlugin(events).plugin.apply(kernel);
    kernel.hooks.openBlockStore.for('mem').intercept({ register: tap => ({ ...tap, fn: async () => undefined }) });
  });
  await assert.rejects(started([onlyKv]), {
    code: 'config',
    message: /^blockstore\.type: no enabled plugin opens "mem" \(choose one of mem\)$/,
  });
  assert.deepEqual(events, ['close kv']);
});

test('a tap of stores puts its own store in front', async () => {
  const seen: string[] = [];
  const wrapper = inline('wrapper', ({ hooks }) => {
    hooks.stores.tap('wrapper', ({ kv, block }) => {
      seen.push(kv.type, block.type);
      return { kv: { ...kv, type: 'wrapped' }, block };
    });
  });
  const kernel = await started([storesPlugin(), wrapper]);
  assert.deepEqual(seen, ['local', 'mem']);
  assert.equal(kernel.services.get('kv').type, 'wrapped');
  assert.equal(kernel.services.get('block').type, 'mem');
  await kernel.stop();
});

test('steps out of order are refused', async () => {
  const kernel = testKernel([]);
  assert.throws(() => kernel.config, { code: 'internal' });
  await assert.rejects(kernel.start(), { code: 'internal', message: 'the kernel is new; it must be configured to become started' });
});

test('wiring lists who taps what, keys of hook maps included', async () => {
  const kernel = await testKernel([
    storesPlugin(),
    noting('a', []),
    inline('b', ({ hooks }) => {
      hooks.event.for('pre-commit').tapPromise('b', async () => {});
    }),
  ]).load();
  assert.deepEqual(kernel.wiring(), {
    'openKvStore[local]': ['stores'],
    'openBlockStore[mem]': ['stores'],
    'event[pre-commit]': ['b'],
    start: ['a'],
    stop: ['a'],
  });
});

test('a deadline passes results and errors on and leaves no timer', async () => {
  assert.equal(await deadline(5, 'work', 10), 5);
  await assert.rejects(deadline(Promise.reject(new Error('x')), 'work', 10), { message: 'x' });
  await assert.rejects(deadline(new Promise(() => {}), 'work', 5), { code: 'timeout', message: 'work did not finish within 5ms' });
});

test('lines of a plugin have its name as the field service, also from a logger taken in apply', async () => {
  const lines: LogFields[] = [];
  const recorder = (own: LogFields): Logger => ({
    ...silentLogger,
    info: (fields, message) => lines.push({ ...own, ...fields, message }),
    child: fields => recorder({ ...own, ...fields }),
  });
  const logging = inline('logging', ({ hooks, services }) => hooks.configured.tap('logging', () => services.provide('log', recorder({}))));
  const speaking = (name: string): InlinePlugin =>
    inline(name, ({ hooks, log }) =>
      hooks.start.tapPromise(name, async () => {
        log.info({ n: 1 }, 'started');
        log.child({ request: 2 }).info({}, 'asked');
      }),
    );
  const kernel = await started([storesPlugin(), logging, speaking('a'), speaking('b')]);
  await kernel.stop();
  const expected = ['a', 'b'].flatMap(service => [
    { service, n: 1, message: 'started' },
    { service, request: 2, message: 'asked' },
  ]);
  assert.deepEqual(lines, expected);
});
