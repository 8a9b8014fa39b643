/** Removing what lies at a path, object by object: rights may differ below a folder. */
import { messageOf } from '@srv/kernel';
import { mayObject } from './context.js';
import { isBelow } from './locks/lock.js';
import { hrefOf } from './target.js';
import { multistatusBegin, multistatusEnd, statusResponse, xmlType } from './xml/write.js';
import type { HttpResponse } from '@srv/http/contract';
import type { Condition } from './conditions.js';
import type { DavContext } from './context.js';
import type { Resource, Tree } from './tree.js';

/** An object that an operation on a folder could not change. */
export interface MemberFailure {
  readonly path: string;
  readonly status: number;
}

/** Failures that an answer names. */
export const maxFailures = 100;

/**
 * @param condition holds for the resource; for an object it is checked again at the moment of the delete.
 * @returns what could not be removed, at most {@link maxFailures}.
 */
export async function remove(
  context: DavContext,
  tree: Tree,
  resource: Resource,
  condition: Condition | undefined,
): Promise<readonly MemberFailure[]> {
  const { engine, scratch, face } = context;
  const { repository, ref } = tree;
  if (resource.kind === 'file') {
    if ('scratch' in resource.source) await scratch.remove(tree.scratchPlace(resource.path));
    else if (condition) await engine.deleteObjectIf(repository, ref, resource.path, condition.holds);
    else await engine.deleteObject(repository, ref, resource.path);
  }
  const failures: MemberFailure[] = [];
  if (resource.kind === 'folder') {
    for await (const page of tree.objectsBelow(resource.path)) {
      const decisions = await Promise.all(page.map(({ path }) => face.may(mayObject('fs:DeleteObject', repository.id, path))));
      failures.push(...page.filter((_, i) => !decisions[i]).map(({ path }) => ({ path, status: 403 })));
      const allowed = page.flatMap(({ path }, i) => (decisions[i] ? [path] : []));
      if (allowed.length === 0) continue;
      for (const { path, error } of await engine.deleteObjects(repository, ref, allowed)) {
        context.log.warn({ path, error: messageOf(error) }, 'an object of a folder was not removed');
        failures.push({ path, status: 500 });
      }
    }
  }
  if (failures.length === 0) await forgetLocks(context, tree, resource.path);
  return failures.slice(0, maxFailures);
}

/** Locks end with what they were taken on. */
export async function forgetLocks({ locks }: DavContext, { repository, ref }: Tree, path: string): Promise<void> {
  const gone = (await locks.list(repository, ref)).filter(lock => lock.path === path || isBelow(lock.path, path));
  await Promise.all(gone.map(lock => locks.remove(repository, ref, lock)));
}

/** The answer to an operation of which a part failed. */
export function failureAnswer({ repository, ref }: Tree, failures: readonly MemberFailure[]): HttpResponse {
  const responses = failures.map(({ path, status }) => statusResponse(hrefOf(repository.id, ref, path), status));
  return { status: 207, headers: { 'Content-Type': xmlType }, body: multistatusBegin + responses.join('') + multistatusEnd };
}
