/** Conditions of writes. */
import { SrvError } from '@srv/kernel';
import { strongEtag } from '@srv/lib-api/http';
import type { WriteCondition } from '../../contract.js';

/**
 * The condition of an upload. `If-None-Match: *` writes only what is absent, `If-Match` only over what the caller has seen.
 * @throws SrvError `unsupported` for combinations that have no meaning here.
 */
export function writeCondition(ifNoneMatch: string | undefined, ifMatch: string | undefined): WriteCondition | undefined {
  if (ifNoneMatch === undefined && ifMatch === undefined) return undefined;
  if (ifNoneMatch === '*' && ifMatch === undefined) return { ifAbsent: true };
  if (ifNoneMatch === undefined && ifMatch !== undefined && !/[,*]/.test(ifMatch))
    return { ifMatch: strongEtag(ifMatch) };
  throw new SrvError('unsupported', 'Not Implemented: If-None-Match takes * only, If-Match one tag, and not both at once');
}
