/** Merges of objects by their content, which plugins know (hook `mergeObject`). */
import { createHash } from 'node:crypto';
import { identifierType } from '@srv/lib-stores/block';
import { entryFrom, pointerOf } from './entries.js';
import { encodeEntry } from './entry-record.js';
import type { BlockStore } from '@srv/lib-stores/block';
import type { EngineHooks } from '../hooks.js';
import type { ConflictResolver } from '../refs/conflicts.js';
import type { Repository, StoredValue } from '../refs/contract.js';
import type { AddressProvider } from './addresses.js';
import type { Entry, MergedObject } from './contract.js';

interface ObjectMergeOptions {
  readonly hooks: Pick<EngineHooks, 'mergeObject'>;
  readonly block: BlockStore;
  readonly addresses: AddressProvider;
}

export function createObjectMerge({ hooks, block, addresses }: ObjectMergeOptions): ConflictResolver {
  return async (repository, { key, ...values }) => {
    const path = key.toString('utf8');
    const entries: { [side in keyof typeof values]?: Entry } = {};
    for (const side of ['destination', 'source', 'base'] as const) {
      const value = values[side];
      if (value) entries[side] = entryFrom(block, repository, path, value);
    }
    const merge = await hooks.mergeObject.promise({ repository, path, ...entries });
    return merge && (async () => stored(repository, await merge.carryOut(), { block, addresses }));
  };
}

async function stored(
  repository: Repository,
  { body, contentType }: MergedObject,
  { block, addresses }: Omit<ObjectMergeOptions, 'hooks'>,
): Promise<StoredValue> {
  const record = { address: addresses.next(), addressType: identifierType.relative };
  const { lastModified } = await block.put(pointerOf(repository, record), body);
  const etag = createHash('md5').update(body).digest('hex');
  return encodeEntry({ ...record, lastModified, size: body.length, etag, metadata: {}, contentType });
}
