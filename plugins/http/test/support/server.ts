/** The listener alone, with routes a test adds. */
import { Kernel, definePlugin } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import section from '../../src/config.js';
import httpPlugin from '../../src/server/index.js';
import type { Hooks, LogLevel, Logger, ServiceRegistry } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { ListenerAddress } from '../../src/contract.js';

interface Line {
  readonly level: LogLevel | 'audit';
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface Started {
  readonly kernel: Kernel;
  readonly address: ListenerAddress;
  readonly lines: Line[];
}

/** @param prepare taps hooks before the server starts. */
export async function start(
  prepare: (hooks: Hooks, services: ServiceRegistry) => void = () => {},
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Started> {
  const lines: Line[] = [];
  const at =
    (level: Line['level']) =>
    (fields: Readonly<Record<string, unknown>>, message: string): void =>
      void lines.push({ level, fields, message });
  const log: Logger = { trace: at('trace'), debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => log };
  const rest = definePlugin({
    name: 'test',
    apply(kernel) {
      kernel.hooks.openKvStore.for('local').tapPromise('test', async () => new MemoryKvStore());
      kernel.hooks.openBlockStore.for('mem').tapPromise('test', async () => ({ close: async () => {} }) as BlockStore);
      kernel.hooks.configured.tap('test', () => {
        kernel.services.provide('log', log);
        kernel.services.provide('audit', (describe, message) => at('audit')(describe(), message));
      });
      prepare(kernel.hooks, kernel.services);
    },
  });
  const values = {
    listen_address: '127.0.0.1:0',
    'database.type': 'local',
    'blockstore.type': 'mem',
    ...settings,
  };
  const kernel = new Kernel({
    part: 'server',
    switches: {},
    env: {},
    inline: [{ plugin: rest }, { plugin: httpPlugin, section }],
    overrides: Object.entries(values).map(([key, raw]) => ({ key, raw, source: 'test' })),
  });
  await kernel.load();
  await kernel.configure();
  await kernel.start();
  return { kernel, address: kernel.services.get('http').address(), lines };
}
