/** The log of a table's metadata files. */
import { plainNumber } from '../exact-json.js';
import type { TableMetadata } from './model.js';

/** Metadata files that the log of a table names, unless the table says otherwise. */
const defaultPrevious = 100;

/** Notes the metadata file that a change replaces. @param previous its address. */
export function nextLog(base: TableMetadata, changed: TableMetadata, previous: string): TableMetadata {
  const asked = plainNumber(changed.properties['write.metadata.previous-versions-max']);
  const most = Number.isInteger(asked) && asked > 0 ? asked : defaultPrevious;
  const log = [...base['metadata-log'], { 'timestamp-ms': base['last-updated-ms'], 'metadata-file': previous }];
  return { ...changed, 'metadata-log': log.slice(-most) };
}
