/** Objects of this repository that other repositories name by full address, such as after an import from its namespace. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isSrvError } from '@srv/kernel';
import { identifierType } from '@srv/lib-stores/block';
import { foldersIn } from '../cache-folders.js';
import { RangeLists } from './range-lists.js';
import { commitsOf } from './repository-state.js';
import { stagedOf } from './uncommitted.js';
import type { Repository } from '@srv/engine/contract';
import type { MarkContext, MarkRequest } from './context.js';

interface ForeignNames {
  /** Files of ranges that hold lists of full addresses. */
  readonly files: readonly string[];
}

/**
 * Reads the other repositories: every commit, as their retention is their own matter, and what is uncommitted. Ranges that
 * an earlier run has read are not read again.
 * @param keep receives addresses of uncommitted entries.
 */
export async function foreignNames(
  { repository, signal }: Pick<MarkRequest, 'repository' | 'signal'>,
  context: MarkContext,
  keep: (addresses: readonly string[]) => Promise<void>,
): Promise<ForeignNames> {
  const folder = join(context.cacheDir, repository.instanceUid, 'foreign');
  const files: string[] = [];
  const others = new Set<string>();
  for await (const other of context.engine.repositories('')) {
    if (other.instanceUid === repository.instanceUid || other.state !== 'active') continue;
    others.add(other.instanceUid);
    try {
      for (const file of await listsOf(other, { folder: join(folder, other.instanceUid), signal, keep }, context)) files.push(file);
    } catch (error) {
      // A repository that was deleted meanwhile names nothing.
      if (await isActive(other, context)) throw error;
    }
  }
  for (const name of await foldersIn(folder)) if (!others.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  return { files };
}

interface ListsRequest {
  /** Of the lists. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly keep: (addresses: readonly string[]) => Promise<void>;
}

async function listsOf(other: Repository, { folder, signal, keep }: ListsRequest, context: MarkContext): Promise<string[]> {
  // An operation that moves an address past the walk has pinned it here, too; these pins are read later.
  for await (const rows of stagedOf(other, { kv: context.kv, signal }))
    await keep(rows.flatMap(({ entry }) => (entry?.addressType === identifierType.full ? [entry.address] : [])));
  const lists = new RangeLists(other, folder, context, 'foreign');
  const metaranges = new Set([...(await commitsOf(context.kv, other)).values()].map(commit => commit.metarangeId));
  metaranges.delete('');
  const ranges = await lists.rangesOf(metaranges, signal);
  await lists.prepare(ranges, signal);
  await lists.forgetOthers(ranges);
  return [...ranges.keys()].map(range => lists.pathOf(range));
}

async function isActive({ id, instanceUid }: Repository, { engine }: MarkContext): Promise<boolean> {
  const found = await engine.getRepository(id).catch((error: unknown) => {
    if (isSrvError(error, 'not_found', 'gone')) return undefined;
    throw error;
  });
  return found?.instanceUid === instanceUid && found.state === 'active';
}
