/** Conditions of writes on what is at their path. */
import { SrvError } from '@srv/kernel';
import type { Entry, WriteCondition } from './contract.js';

/** @param current `undefined`: nothing is there. */
export function isMet(condition: WriteCondition, current: Pick<Entry, 'etag'> | undefined): boolean {
  if ('ifAbsent' in condition) return current === undefined;
  if ('holds' in condition) return condition.holds(current);
  const wanted = condition.ifMatch.replaceAll('"', '');
  return current !== undefined && (wanted === '*' || current.etag === wanted);
}

export function preconditionFailed(condition: WriteCondition): SrvError {
  return new SrvError('precondition_failed', messageFor(condition));
}

function messageFor(condition: WriteCondition): string {
  if ('ifAbsent' in condition) return 'path already exists';
  return 'ifMatch' in condition ? `Precondition failed: the object's ETag is not ${condition.ifMatch}` : 'Precondition failed';
}
