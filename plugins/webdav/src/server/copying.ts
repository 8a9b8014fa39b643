/** Copies of entries: within a repository they name the same stored bytes, between repositories the bytes are copied. */
import { SrvError, isSrvError } from '@srv/kernel';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import type { Entry } from '@srv/engine/contract';
import type { DavContext } from './context.js';
import type { Tree } from './tree.js';

interface EntryCopy {
  readonly from: Tree;
  readonly to: Tree;
  /** Of `from`. */
  readonly entry: Entry;
  /** In `to`. */
  readonly path: string;
  /** Of a copy the time is that of copying. */
  readonly keepsTime: boolean;
}

export async function copyEntry(context: DavContext, { from, to, entry, path, keepsTime }: EntryCopy): Promise<void> {
  const { engine } = context;
  const { size, etag, contentType, metadata } = entry;
  const facts = { size, etag, contentType, metadata, lastModified: keepsTime ? entry.lastModified : new Date() };
  if (from.repository.instanceUid !== to.repository.instanceUid) return copyBytes(context, { from, to, entry, path, keepsTime }, facts);
  const { address, addressType } = entry;
  await engine.stageEntry(to.repository, to.ref, path, { address, addressType, ...facts });
  // Garbage collection keeps what a path refers to: the source must still do so after the copy was staged.
  const now = await from.findEntry(entry.path);
  if (now?.address === address) return;
  await engine.deleteObject(to.repository, to.ref, path);
  throw new SrvError('conflict', `${entry.path} was changed while it was copied; repeat the operation`);
}

async function copyBytes({ engine, block, log, face }: DavContext, { from, to, entry, path }: EntryCopy, facts: Facts): Promise<void> {
  const address = engine.allocateAddress();
  const target = { namespace: namespaceOf(to.repository), identifier: address, identifierType: identifierType.relative };
  const source = { namespace: namespaceOf(from.repository), identifier: entry.address, identifierType: entry.addressType };
  await block.copy(source, target, face.signal);
  try {
    await engine.stageEntry(to.repository, to.ref, path, { address, addressType: identifierType.relative, ...facts });
  } catch (error) {
    // Bytes that an entry may refer to have to stay.
    if (isSrvError(error) && error.details['unwritten'] === true)
      await block
        .remove(target)
        .catch((late: unknown) => log.warn({ path, error: String(late) }, 'cannot remove an object that was not staged'));
    throw error;
  }
}

type Facts = Pick<Entry, 'size' | 'etag' | 'contentType' | 'metadata' | 'lastModified'>;
