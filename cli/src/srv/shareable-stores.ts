/** Workers need stores that processes can share. Each store says whether it is one, when it is open. */
import { SrvError } from '@srv/kernel';
import type { Kernel } from '@srv/kernel';
import type {} from '@srv/lib-stores/block';

/** Lets the kernel not start with a store that one process alone can use. @param workers as asked for. */
export function requireShareableStores({ hooks }: Kernel, workers: number): void {
  hooks.stores.tap('srv run', stores => {
    const { kv, block } = stores;
    if (!kv.isShared) throw notShareable(workers, 'database.type', kv.type);
    if (block.info.isShared === false) throw notShareable(workers, 'blockstore.type', block.type);
    return stores;
  });
}

function notShareable(workers: number, key: string, type: string): SrvError {
  return new SrvError(
    'config',
    `--workers ${workers}: ${key} is ${type}, which one process alone can use; choose a shared one, or run without --workers`,
  );
}
