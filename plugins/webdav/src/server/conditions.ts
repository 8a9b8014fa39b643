/** Conditions on what methods change: `If-Match`, `If-None-Match`, and tags in `If`, which is also checked with the locks. */
import { matchesEtag, quoteEtag, strongEtag } from '@srv/lib-api/http';
import { DavError } from './errors.js';
import { demandOnTag } from './locks/check.js';
import type { DavContext } from './context.js';
import type { Target } from './target.js';
import type { Resource } from './tree.js';

/** A condition of a write to the engine, which also takes folders: these have no tag. */
export interface Condition {
  /** @param found `undefined`: nothing is there. */
  readonly holds: (found: { readonly etag?: string | undefined } | undefined) => boolean;
}

/** What the request demands of its resource until that is changed. @throws DavError 400 for a combination without meaning. */
export async function conditionOf(context: DavContext): Promise<Condition | undefined> {
  const [matching, tagged] = [matchCondition(context.header), await ifCondition(context, context.target)];
  return matching && tagged ? { holds: found => matching.holds(found) && tagged.holds(found) } : (matching ?? tagged);
}

/** @throws DavError 400 for a combination without meaning. */
function matchCondition(header: DavContext['header']): Condition | undefined {
  const [ifNoneMatch, ifMatch] = [header('if-none-match'), header('if-match')];
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.trim() !== '*' || ifMatch !== undefined)
      throw new DavError(400, 'a write takes If-None-Match: * or If-Match with one tag, and not both');
    return { holds: found => found === undefined };
  }
  if (ifMatch === undefined) return undefined;
  if (ifMatch.includes(',')) throw new DavError(400, 'a write takes If-Match with one tag');
  const wanted = strongEtag(ifMatch);
  return { holds: found => found !== undefined && (wanted === '*' || (found.etag !== undefined && matchesEtag(wanted, found.etag))) };
}

/** What the header `If` demands of one of the resources that it may name. */
export async function ifCondition(context: DavContext, target: Target): Promise<Condition | undefined> {
  const demand = await demandOnTag(context, target);
  return demand && { holds: found => demand(found?.etag === undefined ? undefined : quoteEtag(found.etag)) };
}

/**
 * Early, before anything is read or changed; the engine checks again when it writes or deletes a file, and a copy of one when it
 * has its source. Folders have no tag: of these only `If-Match: *` is true.
 * @throws DavError 412.
 */
export function checkCondition(existing: Resource | undefined, condition: Condition | undefined): void {
  const found = existing && { etag: existing.kind === 'file' ? existing.etag : undefined };
  if (condition && !condition.holds(found)) throw new DavError(412, 'the condition of the request does not hold');
}
