/** Whether other repositories refer to objects of a namespace that is to be removed. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { SrvError } from '@srv/kernel';
import { removeOwnFolder } from '@srv/lib-records/owned-folder';
import { namespaceOf, walkUri } from '@srv/lib-stores/block';
import { foreignNames } from '../mark/foreign.js';
import { KeepSet } from '../mark/keep-set.js';
import { walk } from '../mark/listing.js';
import { objectOf } from '../mark/object-id.js';
import { makePrivateFolder } from '../private-folder.js';
import { Sorter } from '../worker/sorter.js';
import type { Repository } from '@srv/engine/contract';
import type { MarkContext } from '../mark/context.js';

/** @throws SrvError `conflict` that names an object which an import or a copy of another repository shows. */
export async function refuseReferenced(deleted: Repository, sources: Omit<MarkContext, 'sorter'>): Promise<void> {
  await makePrivateFolder(sources.cacheDir);
  const folder = await mkdtemp(join(sources.cacheDir, 'purge-'));
  const sorter = new Sorter(1);
  // Its lists go with the folder.
  const context = { ...sources, sorter, cacheDir: folder };
  const { signal } = new AbortController();
  const keep = new KeepSet(deleted, folder, signal, context);
  try {
    const { files } = await foreignNames({ repository: deleted, signal }, context, addresses => keep.keep(addresses));
    await keep.build(new Set(), files);
    const data = walkUri(context.block, namespaceOf(deleted), 'data/');
    for await (const page of walk(context.block, data, { etags: false, facts: false }))
      for (const { address, relativeKey } of page) {
        const id = objectOf(`data/${relativeKey}`);
        if (id !== undefined && keep.has(id))
          throw new SrvError(
            'conflict',
            `${address} is still shown by another repository, which imported it or has a shallow copy of it; delete it there first, and in the commits that hold it`,
          );
      }
  } finally {
    keep.close();
    await sorter.close();
    await removeOwnFolder(folder, sources.log);
  }
}
