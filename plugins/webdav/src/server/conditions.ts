/** `If-Match` and `If-None-Match` of methods that change something, and a tag in `If`, which is also checked with the locks. */
import { matchesEtag, strongEtag } from '@srv/lib-api/http';
import { DavError } from './errors.js';
import { parseIf } from './locks/if-header.js';
import type { WriteCondition } from '@srv/engine/contract';
import type { DavContext } from './context.js';
import type { Resource } from './tree.js';

/** @throws DavError 400 for a combination without meaning. */
export function conditionOf(header: DavContext['header']): WriteCondition | undefined {
  const [ifNoneMatch, ifMatch] = [header('if-none-match'), header('if-match')];
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.trim() !== '*' || ifMatch !== undefined)
      throw new DavError(400, 'a write takes If-None-Match: * or If-Match with one tag, and not both');
    return { ifAbsent: true };
  }
  if (ifMatch === undefined) return tagCondition(header('if'));
  if (ifMatch.includes(',')) throw new DavError(400, 'a write takes If-Match with one tag');
  return { ifMatch: strongEtag(ifMatch) };
}

/**
 * What a header `If` that held, with the tag of the resource in its only list, demands of the resource until it is changed. Of several
 * lists another one may hold by then: these are checked early only.
 */
function tagCondition(header: string | undefined): WriteCondition | undefined {
  const [list, ...others] = header === undefined ? [] : parseIf(header).lists;
  const tag = list?.conditions.find(({ kind, negated }) => kind === 'etag' && !negated);
  return tag && list?.resource === undefined && others.length === 0 ? { ifMatch: strongEtag(tag.value.trim()) } : undefined;
}

/**
 * Early, before anything is read or changed; the engine checks again when it writes or deletes a file, and a copy of one when it
 * has its source. Folders have no tag: of these only `*` is true.
 * @throws DavError 412.
 */
export function checkCondition(existing: Resource | undefined, condition: WriteCondition | undefined): void {
  if (condition && !isMet(existing, condition)) throw new DavError(412, 'the condition of the request does not hold');
}

function isMet(existing: Resource | undefined, condition: WriteCondition): boolean {
  if ('ifAbsent' in condition) return !existing;
  if (condition.ifMatch === '*') return existing !== undefined;
  return existing?.kind === 'file' && matchesEtag(condition.ifMatch, existing.etag);
}
