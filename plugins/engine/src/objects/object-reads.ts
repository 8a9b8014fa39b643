/** Reading objects: their entries and their bytes. */

import { SrvError } from '@srv/kernel';
import { pathKey } from '@srv/lib-records';
import { streamLength } from '@srv/lib-stores/block';
import { entryFrom, pointerOf } from './entries.js';
import { SmallContents } from './small-contents.js';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Engine } from '../contract.js';
import type { Repository } from '../refs/contract.js';
import type { Refs } from '../refs/service.js';
import type { Entry } from './contract.js';

export interface ObjectStores {
  readonly refs: Refs;
  readonly block: BlockStore;
}

/** @throws SrvError `not_found`. */
export async function readEntry(repository: Repository, ref: string, path: string, { refs, block }: ObjectStores): Promise<Entry> {
  const value = await refs.get(repository, ref, pathKey(path));
  if (!value)
    throw new SrvError('not_found', `object ${JSON.stringify(path)} at ref ${JSON.stringify(ref)}: not found`, {
      details: { path, ref },
    });
  return entryFrom(block, repository, path, value);
}

export function createObjectReads(stores: ObjectStores) {
  const { refs, block } = stores;
  const small = new SmallContents();
  return {
    getEntry: async (id, ref, path) => readEntry(await refs.getRepository(id), ref, path, stores),
    async open(id, entry, { range, signal } = {}) {
      const repository = await refs.getRepository(id);
      const pointer = pointerOf(repository, entry);
      const kept = small.read(pointer, entry, range);
      if (kept) return kept;
      const body = await block.get(pointer, { expectedSize: entry.size, range, signal });
      const [found, wanted] = [streamLength(body), range ? range.end - range.start + 1 : entry.size];
      if (found === wanted && !range) small.keep(pointer, entry, body);
      if (found === undefined || found === wanted) return body;
      // Bytes of another object: not even a part of them is what was written.
      body.destroy();
      const asked = range ? ` of bytes ${range.start} to ${range.end}` : '';
      throw new SrvError(
        'corrupt',
        `object ${JSON.stringify(entry.path)}: the block store has ${found} bytes at ${entry.physicalAddress}${asked} where its entry has ${entry.size}; write the object again, or restore it in the block store`,
        { details: { path: entry.path } },
      );
    },
  } satisfies Partial<Engine>;
}
