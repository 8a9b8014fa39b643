/** Test servers in processes of their own, and the drivers that use them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createTestKernel } from '@srv/kernel/testing';
import { repositoryRoot } from '../repository-root.js';
import type { ConfigSection, InlinePlugin, Kernel, KvStore } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';

interface RunningServer {
  readonly env: Readonly<Record<string, string>>;
  /** Of block stores: where objects may be put. */
  readonly namespace: string;
  close(): Promise<void>;
}

const program = join(repositoryRoot, 'test', 'servers', 'dist', 'src', 'main.js');

/** `undefined`: the machine lacks the server. */
export async function startServer(name: string): Promise<RunningServer | undefined> {
  const child = spawn(process.execPath, [program, name], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'exit');
  const kill = (): unknown => child.kill('SIGTERM');
  process.once('exit', kill);
  const [line] = (await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended])) as [unknown];
  if (typeof line !== 'string') return undefined;
  const { env, namespace = '' } = JSON.parse(line) as { env: Record<string, string>; namespace?: string };
  return {
    env,
    namespace,
    async close() {
      kill();
      await ended;
      process.off('exit', kill);
    },
  };
}

interface OpenedStores {
  readonly kv: KvStore;
  readonly block: BlockStore;
  close(): Promise<void>;
}

export type DriverPlugin = Required<Pick<InlinePlugin, 'plugin' | 'section'>>;

/** The stores as `srv` opens them with these variables; what they do not name is a store in memory, or none. */
export async function openStores({ plugin, section }: DriverPlugin, env: Readonly<Record<string, string>>): Promise<OpenedStores> {
  const kernel: Kernel = await createTestKernel({ plugins: [{ plugin, section }], config: settings(section, env) });
  return { kv: kernel.services.get('kv'), block: kernel.services.get('block'), close: () => kernel.stop() };
}

function settings({ keys }: ConfigSection, env: Readonly<Record<string, string>>): Record<string, string> {
  const variable = (key: string): string => `SRV_${key.toUpperCase().replaceAll('.', '_')}`;
  const named = ['database.type', 'blockstore.type', ...Object.keys(keys)];
  return Object.fromEntries(named.flatMap(key => (env[variable(key)] === undefined ? [] : [[key, env[variable(key)] ?? '']])));
}
