/** The logs of a table: of its metadata files, and of its current snapshots. */
import { greater, isWhole, plainNumber } from '../exact-json.js';
import type { Integer, JsonObject } from '../exact-json.js';
import type { TableMetadata } from './model.js';

/** Metadata files that the log of a table names, unless the table says otherwise. */
const defaultPrevious = 100;

/** Notes the metadata file that a change replaces. @param previous its address. */
export function nextLog(base: TableMetadata, changed: TableMetadata, previous: string): TableMetadata {
  const asked = plainNumber(changed.properties['write.metadata.previous-versions-max']);
  const most = Number.isInteger(asked) && asked > 0 ? asked : defaultPrevious;
  const log = [...base['metadata-log'], { 'timestamp-ms': base['last-updated-ms'], 'metadata-file': previous }];
  return withRisingTimes({ ...changed, 'metadata-log': log.slice(-most) });
}

/**
 * Iceberg's Java library loads a table only if the times of its logs do not fall, and `last-updated-ms` is not before the last of
 * them. Clients whose clocks are off write others: such an entry gets the time of the one before it, also in tables that have
 * it already. Snapshots keep their own `timestamp-ms`.
 */
export function withRisingTimes(table: TableMetadata): TableMetadata {
  const [snapshots, files] = [rising(table['snapshot-log']), rising(table['metadata-log'])];
  const last = [snapshots, files].map(log => log.at(-1)?.['timestamp-ms']).filter(isWhole);
  const updated = last.reduce(greater, table['last-updated-ms']);
  return { ...table, 'snapshot-log': snapshots, 'metadata-log': files, 'last-updated-ms': updated };
}

function rising(log: readonly JsonObject[]): JsonObject[] {
  let latest: Integer = 0;
  return log.map(entry => {
    const time = entry['timestamp-ms'];
    if (!isWhole(time)) return entry;
    latest = greater(latest, time);
    return time === latest ? entry : { ...entry, 'timestamp-ms': latest };
  });
}
