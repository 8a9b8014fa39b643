/** Which run has collected an object that a reader cannot find. */
import { SrvError, isSrvError } from '@srv/kernel';
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import { isListed } from './find-in-list.js';
import { listPointer } from './garbage-list.js';
import type { Engine, Repository } from '@srv/engine/contract';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';
import type { ListPlaces } from './garbage-list.js';
import type { RunRecord, RunRecords } from './run-record.js';

export interface CollectedSources extends ListPlaces {
  readonly engine: Engine;
  readonly records: RunRecords;
}

/** Runs looked at. */
const maxRuns = 50;

/** The newest run that removed anything and lists the key. */
export async function collectingRun(repository: Repository, key: string, sources: CollectedSources): Promise<RunRecord | undefined> {
  let looked = 0;
  for await (const record of sources.records.scan(repository)) {
    if (record.deleted === 0) continue;
    if (++looked > maxRuns) return undefined;
    try {
      if (await isListed(sources.block, await listPointer(repository, record.source, sources), key)) return record;
    } catch (error) {
      if (!isSrvError(error, 'no_data')) throw error;
    }
  }
  return undefined;
}

/**
 * The store with errors that name the run when an object is gone because it was collected.
 * @param sources absent until the server has started.
 */
export function withCollectionNotes(block: BlockStore, sources: () => CollectedSources | undefined): BlockStore {
  const explain = async (pointer: ObjectPointer, error: unknown): Promise<never> => {
    const found = sources();
    if (!isSrvError(error, 'no_data') || !found) throw error;
    const run = await runOf(pointer, found).catch(() => undefined);
    if (!run) throw error;
    const day = new Date(run.startedAt).toISOString();
    const note = `it was collected as garbage by run ${run.id} of ${day}`;
    throw new SrvError('no_data', `${error.message}; ${note}`, { cause: error, details: { ...error.details, note } });
  };
  return new Proxy(block, {
    get(target, name) {
      if (name === 'get')
        return async (pointer: ObjectPointer, ...rest: [Parameters<BlockStore['get']>[1]?]) => {
          try {
            return await target.get(pointer, ...rest);
          } catch (error) {
            return explain(pointer, error);
          }
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

async function runOf(
  { namespace, identifier, identifierType: type }: ObjectPointer,
  sources: CollectedSources,
): Promise<RunRecord | undefined> {
  if (type === identifierType.full || !identifier.startsWith('data/')) return undefined;
  for await (const repository of sources.engine.repositories(''))
    if (namespaceOf(repository) === namespace) return collectingRun(repository, identifier, sources);
  return undefined;
}
