/** Whether the bytes that entries name are still there. */
import { SrvError } from '@srv/kernel';
import { inParallel } from '@srv/lib-stores/block';
import { pointerOf } from './entries.js';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Repository } from '../refs/contract.js';
import type { EntryRecord } from './entry-record.js';

/** Questions to the block store at a time. */
const parallel = 32;

type Named = Pick<EntryRecord, 'address' | 'addressType'> & { readonly path: string };

/**
 * Passes if all bytes are there. An old commit still shows objects whose bytes garbage collection has removed; what a branch shows
 * keeps its bytes. To be called while the addresses are pinned, before something new refers to them.
 * @throws SrvError `no_data` that names an object without bytes.
 */
export async function demandBytes(block: BlockStore, repository: Repository, entries: Iterable<Named>): Promise<void> {
  await inParallel(entries, parallel, async entry => {
    const pointer = pointerOf(repository, entry);
    if (await block.exists(pointer)) return;
    throw new SrvError('no_data', `object ${JSON.stringify(entry.path)}: ${block.resolve(pointer)}: no such object in the block store`, {
      details: { path: entry.path },
    });
  });
}
