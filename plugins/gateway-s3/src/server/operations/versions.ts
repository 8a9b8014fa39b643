/** Objects have no versions here: history is in commits. `null` is the version of objects that have none. */
import { S3Error } from '../protocol/errors.js';

/** As {@link checkNoVersion}, of a read. @throws S3Error `NoSuchVersion`. */
export function checkCurrentVersion(version: string | undefined): void {
  if (version !== undefined && version !== '' && version !== 'null') throw new S3Error('NoSuchVersion');
}

/** `null` is the version of objects that have none. @throws S3Error `InvalidArgument` for others. */
export function checkNoVersion(version: string): void {
  if (version !== '' && version !== 'null') throw new S3Error('InvalidArgument', { message: 'Invalid version id specified' });
}
