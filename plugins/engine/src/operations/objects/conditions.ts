/** Conditions of writes. */
import { SrvError, isSrvError } from '@srv/kernel';
import { optional, text } from '@srv/lib-api';
import { strongEtag } from '@srv/lib-api/http';
import { isMet } from '../../objects/write-condition.js';
import type { DeleteOptions, Engine, WriteCondition } from '../../contract.js';

/** Of operations that write one object. */
export const conditionHeaders = { 'If-None-Match': optional(text()), 'If-Match': optional(text()) };

/**
 * The condition of a write. `If-None-Match: *` writes only what is absent, `If-Match` only over what the caller has seen.
 * @throws SrvError `unsupported` for combinations that have no meaning here.
 */
export function writeCondition(ifNoneMatch: string | undefined, ifMatch: string | undefined): WriteCondition | undefined {
  if (ifNoneMatch === undefined && ifMatch === undefined) return undefined;
  if (ifNoneMatch === '*' && ifMatch === undefined) return { ifAbsent: true };
  if (ifNoneMatch === undefined && ifMatch !== undefined && !/[,*]/.test(ifMatch)) return { ifMatch: strongEtag(ifMatch) };
  throw new SrvError('unsupported', 'Not Implemented: If-None-Match takes * only, If-Match one tag, and not both at once');
}

/**
 * Deletes an object that is as the condition says. Without a condition an absent object counts as deleted; here `ifMatch` needs one,
 * and `ifAbsent` leaves nothing to delete.
 * @throws SrvError `precondition_failed`, and what {@link Engine.deleteObject} throws.
 */
export async function deleteIf(
  engine: Engine,
  { repository, branch, path }: { readonly repository: string; readonly branch: string; readonly path: string },
  condition: WriteCondition,
  options: DeleteOptions,
): Promise<void> {
  await engine.checkWrite(repository, branch, path, { force: options.force, condition });
  if ('ifAbsent' in condition) return;
  await engine
    .deleteObjectIf(repository, branch, path, entry => isMet(condition, entry), options)
    .catch((error: unknown) => {
      if (!isSrvError(error, 'not_found')) throw error;
      throw new SrvError('precondition_failed', `Precondition failed: ${path} was deleted meanwhile`, { cause: error });
    });
}
