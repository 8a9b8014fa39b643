/** Whether a pointer was written whose write ended without an answer: others have changed it since. */
import { isObject } from '../exact-json.js';
import type { Repository } from '@srv/engine/contract';
import type { JsonObject } from '../exact-json.js';
import type { TableFiles } from './table-files.js';

/**
 * @param pointer of a table or a view, as it is now; `undefined`: it does not exist.
 * @param location address of a metadata file.
 * @returns whether the pointer names the file, or the log of the metadata that it names does. Views have no log.
 * @throws what {@link TableFiles.readDocument} throws.
 */
export async function hadMetadata(
  files: Pick<TableFiles, 'readDocument'>,
  repository: Repository,
  pointer: JsonObject | undefined,
  location: string,
): Promise<boolean> {
  const current = pointer?.['metadata-location'];
  if (typeof current !== 'string') return false;
  if (current === location) return true;
  const metadata = await files.readDocument(repository, current);
  const log = isObject(metadata) ? metadata['metadata-log'] : undefined;
  return Array.isArray(log) && log.some(line => isObject(line) && line['metadata-file'] === location);
}
