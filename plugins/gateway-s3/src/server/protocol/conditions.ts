/** Conditions of writes. */
import { strongEtag } from '@srv/lib-api/http';
import { S3Error } from './errors.js';
import type { WriteCondition } from '@srv/engine/contract';

/**
 * The condition of a write. Empty headers set none.
 * @throws S3Error `NotImplemented` for what has no meaning on a write.
 */
export function writeCondition(ifNoneMatch: string | undefined, ifMatch: string | undefined): WriteCondition | undefined {
  if (!ifNoneMatch && !ifMatch) return undefined;
  if (ifNoneMatch === '*' && !ifMatch) return { ifAbsent: true };
  if (ifMatch && !ifNoneMatch && !ifMatch.includes(',')) return { ifMatch: strongEtag(ifMatch) };
  throw new S3Error('NotImplemented');
}
