/** The key-value store alone, for commands that work beside or instead of a server. */
import type { KvStore, Kernel } from '@srv/kernel';
import type { SrvFlags } from '../flags.js';
import { quietLog, serverKernel } from '../server-kernel.js';

/** Opens the configured store for `work` and closes it afterwards. */
export async function withStore<T>(flags: SrvFlags, work: (kv: KvStore, kernel: Kernel) => Promise<T>): Promise<T> {
  const kernel = serverKernel(flags, { overrides: quietLog });
  await kernel.load();
  await kernel.prepare();
  await kernel.configure();
  const kv = await kernel.openKvStore();
  try {
    return await work(kv, kernel);
  } finally {
    await kv.close();
    await kernel.stop();
  }
}
