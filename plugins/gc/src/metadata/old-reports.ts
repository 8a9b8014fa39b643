/** Reports, lists and records of runs, and what was prepared for foreign collectors, when they are old. */
import { isSrvError, throwIfAborted } from '@srv/kernel';
import { namespaceOf, slicesOf, walkUri } from '@srv/lib-stores/block';
import { inNamespace } from '../prepare/places.js';
import { isOver } from '../run/run-record.js';
import type { CommittedStore, Repository } from '@srv/engine/contract';
import type { BlockStore } from '@srv/kernel';
import type { RunRecord, RunRecords } from '../run/run-record.js';

/** Below `retention/gc/`; each holds a folder for every run. Rules and the probe of the clock lie beside them. */
const ownFolders = ['runs', 'commits', 'uncommitted', 'addresses'];
/** Fixed, whatever folder this server uses. */
const reportFolders = ['_lakefs/retention/gc/unified', '_lakefs/retention/gc/reports'];
const lot = 200;

interface OldReportsRequest {
  readonly repository: Repository;
  /** Milliseconds since 1970: what was written later stays. */
  readonly before: number;
  readonly signal: AbortSignal;
  /** Called before each lot. @throws SrvError when the run must stop. */
  readonly permit: () => void;
}

/** Removes them. @returns how many files went. */
export async function removeOldReports(
  { repository, before, signal, permit }: OldReportsRequest,
  { block, committed, records }: { readonly block: BlockStore; readonly committed: CommittedStore; readonly records: RunRecords },
): Promise<number> {
  const kept = new Set<string>();
  const old: RunRecord[] = [];
  for await (const record of records.scan(repository)) {
    if (isOld(record, before)) old.push(record);
    else for (const id of [record.id, record.source]) kept.add(id);
  }
  const own = await committed.folderOf(namespaceOf(repository));
  let removed = 0;
  for (const folder of [...ownFolders.map(name => `${own}/retention/gc/${name}`), ...reportFolders])
    for await (const page of walked(block, walkUri(block, namespaceOf(repository), `${folder}/`), signal)) {
      const keys = page.flatMap(({ relativeKey, lastModified }) => {
        const run = relativeKey.split('/')[0]?.replace(/^run_id=/, '') ?? '';
        return lastModified.getTime() < before && !kept.has(run) ? [`${folder}/${relativeKey}`] : [];
      });
      for (const slice of slicesOf(keys, lot)) {
        throwIfAborted(signal);
        permit();
        const failures = await block.removeAll(
          slice.map(key => inNamespace(repository, key)),
          { signal },
        );
        removed += slice.length - failures.length;
      }
    }
  for (const { id } of old) if (!kept.has(id)) await records.delete(repository, id);
  return removed;
}

/** Finished long ago, with nothing in quarantine. */
function isOld(record: RunRecord, before: number): boolean {
  return isOver(record) && record.updatedAt < before && record.quarantineDays === 0;
}

async function* walked(block: BlockStore, uri: string, signal: AbortSignal): ReturnType<BlockStore['walk']> {
  try {
    yield* block.walk(uri, { signal, etags: false });
  } catch (error) {
    if (!isSrvError(error, 'not_found', 'no_data')) throw error;
  }
}
