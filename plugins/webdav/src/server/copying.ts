/** Copies of entries: within a repository they name the same stored bytes, between repositories the bytes are copied. */
import { demandBytes } from '@srv/engine/objects/present-bytes';
import { isSrvError } from '@srv/kernel';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { DavError } from './errors.js';
import { withoutMark } from './marks.js';
import type { Entry, StageRequest, WriteCondition } from '@srv/engine/contract';
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
  /** On what is at `path`. */
  readonly condition: WriteCondition | undefined;
}

/** @returns whether it was copied: not when the source has other content by now. */
export async function copyEntry(context: DavContext, copy: EntryCopy): Promise<boolean> {
  const { engine, block } = context;
  const { from, to, entry, path, keepsTime, condition } = copy;
  const { address, addressType, size, etag, contentType } = entry;
  const lastModified = keepsTime ? entry.lastModified : new Date();
  const facts = { size, etag, contentType, metadata: withoutMark(entry.metadata), lastModified, condition };
  if (from.repository.instanceUid !== to.repository.instanceUid) {
    await copyBytes(context, copy, facts);
    return true;
  }
  return engine.withPins(from.repository, { addresses: [address] }, async () => {
    // Garbage collection keeps what a path refers to: from the pin on the source must still do so.
    const now = await from.findEntry(entry.path);
    if (now?.address !== address) return false;
    if (!(await from.isBranch())) await demandBytes(block, from.repository, [entry]).catch(gone(from.ref));
    await engine.stageEntry(to.repository, to.ref, path, { address, addressType, ...facts });
    return true;
  });
}

/** What fails a copy of an object that an old commit shows, but whose bytes were removed. */
function gone(ref: string): (error: unknown) => never {
  return error => {
    if (isSrvError(error, 'no_data'))
      throw new DavError(410, `${String(error.details['path'])} at ${ref}: its data was removed, such as by garbage collection`);
    throw error;
  };
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

type Facts = Omit<StageRequest, 'address' | 'addressType'>;
