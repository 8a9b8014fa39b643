/** The key-value store alone, for commands that work beside or instead of a server. */
import type { Kernel, KvStore } from '@srv/kernel';
import type { ServerCommandContext } from '@srv/lib-commands';

/** Opens the configured store for `work` and closes it afterwards. */
export async function withStore<T>(context: ServerCommandContext, work: (kv: KvStore, kernel: Kernel) => Promise<T>): Promise<T> {
  const kernel = await context.kernel({ inTrouble: true });
  const kv = await kernel.openKvStore();
  try {
    return await work(kv, kernel);
  } finally {
    await kv.close();
    await kernel.stop();
  }
}
