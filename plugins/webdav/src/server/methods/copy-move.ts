/** COPY and MOVE. */
import { randomUUID } from 'node:crypto';
import { SrvError, messageOf } from '@srv/kernel';
import { inParallel } from '@srv/lib-stores/block';
import { checkCondition, conditionOf, ifCondition } from '../conditions.js';
import { inRef, mayList, mayObject, maySee } from '../context.js';
import { copyEntry } from '../copying.js';
import { DavError, statusOf } from '../errors.js';
import { keepParent, makeFolder } from '../folders.js';
import { demandUnlocked } from '../locks/check.js';
import { isBelow } from '../locks/lock.js';
import { Marks } from '../marks.js';
import { propertiesKey } from '../properties/dead.js';
import { failureAnswer, forgetLocks, maxFailures } from '../removal.js';
import { parseDestination } from '../target.js';
import type { Entry, WriteCondition } from '@srv/engine/contract';
import type { HttpResponse } from '@srv/http/contract';
import type { Condition } from '../conditions.js';
import type { DavContext, DavMethod } from '../context.js';
import type { MemberFailure } from '../removal.js';
import type { Resource, Tree } from '../tree.js';

/** Objects copied at a time. */
const parallel = 16;
/** How often a file that others write meanwhile is looked at again. */
const tries = 3;

export const copy: DavMethod = context => transfer(context, false);
export const move: DavMethod = context => transfer(context, true);

interface Transfer {
  readonly context: DavContext;
  readonly moves: boolean;
  readonly from: Tree;
  readonly to: Tree;
  readonly source: Resource;
  /** Path in `to`. */
  readonly path: string;
  readonly existing: Resource | undefined;
  /** On the source, if that is a file. */
  readonly condition: Condition | undefined;
  /** On what is at the destination of a file. */
  readonly destinationCondition: Condition | undefined;
  /** Otherwise what others make meanwhile has to stay. */
  readonly overwrites: boolean;
  /** Of a folder: it alone, without what lies in it. */
  readonly isShallow: boolean;
  readonly marks: Marks;
}

async function transfer(any: DavContext, moves: boolean): Promise<HttpResponse> {
  const prepared = await prepare(any, moves);
  const { context, from, to, source, path, existing, marks } = prepared;
  const replaced = existing && (existing.kind === 'folder' || source.kind === 'folder') ? existing : undefined;
  const unmark = async (): Promise<void> => {
    if (replaced) await marks.takeOff(to, replaced);
    if (moves) await marks.takeOff(from, source);
  };
  try {
    if (replaced) await marks.addAll(to, replaced);
    const failures = await transferAll(prepared);
    if (failures.length > 0) {
      await unmark();
      return failureAnswer(to, failures);
    }
    if (replaced) await end(prepared, to, replaced);
    if (moves) await end(prepared, from, source);
  } catch (error) {
    await unmark();
    throw error;
  }
  if (moves) await keepParent(context, from, source.path);
  return { status: existing ? 204 : 201, headers: existing ? undefined : { Location: context.header('destination') ?? path } };
}

/** Locks end with what they were taken on. */
async function end({ context, marks }: Transfer, tree: Tree, resource: Resource): Promise<void> {
  await marks.removeMarked(tree, resource);
  await forgetLocks(context, tree, resource.path);
}

/** Rights, conditions and locks of both sides, before anything changes. */
async function prepare(any: DavContext, moves: boolean): Promise<Transfer> {
  const context = inRef(any);
  const { target, face, engine, header, request } = context;
  const wanted = parseDestination(header('destination'), [request.headers.host, one(request.headers['x-forwarded-host'])]);
  if (wanted.kind !== 'resource') throw new DavError(403, 'repositories and branches cannot be made here');
  if (target.path === '' || wanted.path === '')
    throw new DavError(403, 'a branch as a whole can be neither copied nor replaced here; use merge');
  const isSame = target.repository === wanted.repository && target.ref === wanted.ref;
  if (isSame && (target.path === wanted.path || isBelow(wanted.path, target.path)))
    throw new DavError(403, 'the destination is the source, or lies in it');
  if (isSame && isBelow(target.path, wanted.path)) throw new DavError(403, 'the destination holds the source');
  const isShallow = isShallowCopy(header('depth'), moves);
  const overwrites = header('overwrite')?.trim().toUpperCase() !== 'F';
  await face.demand(maySee(target.repository, target.path));
  await face.demand(mayObject('fs:WriteObject', wanted.repository, wanted.path));
  const [from, to] = await Promise.all([context.tree(target), context.tree(wanted)]);
  const lists = await face.may(mayList(target.repository));
  const source = lists ? await from.find(target.path) : await from.findFile(target.path);
  if (!source || (target.isFolder && source.kind === 'file')) throw new DavError(404, `there is no ${target.path} at ${target.ref}`);
  const [condition, destinationCondition] = [await conditionOf(context), await ifCondition(context, wanted)];
  checkCondition(source, condition);
  if (moves) {
    await from.demandBranch();
    await engine.checkWrite(from.repository, from.ref, target.path);
  }
  await to.demandBranch();
  await engine.checkWrite(to.repository, to.ref, wanted.path);
  const existing = await to.find(wanted.path);
  if (existing && !overwrites) throw new DavError(412, `${wanted.path} exists`);
  if (!existing && !(await to.hasParent(wanted.path))) throw new DavError(409, `the folder of ${wanted.path} does not exist`);
  await demandRights({ context, from, to, source, path: wanted.path, existing, isShallow, moves });
  if (moves) await demandUnlocked(context, from, { path: target.path, membership: true, deep: true });
  await demandUnlocked(context, to, { path: wanted.path, membership: !existing, deep: true });
  const marks = new Marks(context, randomUUID());
  const conditions = { condition, destinationCondition };
  return { context, moves, from, to, source, path: wanted.path, existing, ...conditions, overwrites, isShallow, marks };
}

/** @throws DavError 400. */
function isShallowCopy(header: string | undefined, moves: boolean): boolean {
  const depth = header?.trim().toLowerCase() ?? 'infinity';
  if (depth === 'infinity') return false;
  if (depth === '0' && !moves) return true;
  throw new DavError(400, `the header Depth is ${header}; allowed: infinity${moves ? '' : ', 0'}`);
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}

/**
 * Policies may name single objects: each is asked for before the first one changes, and those of a folder again right before
 * they are copied, since further ones may have appeared.
 * @throws SrvError `denied`.
 */
async function demandRights(parts: Rights & Pick<Transfer, 'existing' | 'isShallow'>): Promise<void> {
  const { context, from, to, source, existing, isShallow } = parts;
  const { face, identity } = context;
  if (identity.rbac === 'none') return;
  if (source.kind === 'file') await demandObject(parts, source.path);
  else if (isShallow) await demandObject(parts, `${source.path}/`);
  else for await (const page of from.objectsBelow(source.path)) for (const entry of page) await demandObject(parts, entry.path);
  if (existing?.kind !== 'folder' && !(existing && source.kind === 'folder')) return;
  if (existing.kind === 'file') await face.demand(mayObject('fs:DeleteObject', to.repository.id, existing.path));
  else
    for await (const page of to.objectsBelow(existing.path))
      for (const entry of page) await face.demand(mayObject('fs:DeleteObject', to.repository.id, entry.path));
}

type Rights = Pick<Transfer, 'context' | 'from' | 'to' | 'source' | 'path' | 'moves'>;

/** @param own path of what is copied. @throws SrvError `denied`. */
async function demandObject({ context: { face, identity }, from, to, source, path, moves }: Rights, own: string): Promise<void> {
  if (identity.rbac === 'none') return;
  await face.demand({
    all: [
      mayObject('fs:ReadObject', from.repository.id, own),
      mayObject('fs:WriteObject', to.repository.id, path + own.slice(source.path.length)),
      ...(moves ? [mayObject('fs:DeleteObject', from.repository.id, own)] : []),
    ],
  });
}

async function transferAll(parts: Transfer): Promise<readonly MemberFailure[]> {
  const { context, from, to, source, path, isShallow } = parts;
  if (source.kind === 'file') {
    await transferFile(parts, source);
    return [];
  }
  if (isShallow || !source.marker) await makeFolder(context, to, path, source.marker?.metadata[propertiesKey]);
  if (isShallow) return [];
  const failures: MemberFailure[] = [];
  for await (const page of from.objectsBelow(source.path)) {
    await inParallel(page, parallel, async entry => {
      const there = path + entry.path.slice(source.path.length);
      try {
        await demandObject(parts, entry.path);
        await transferEntry(parts, entry, there);
      } catch (error) {
        context.log.warn({ path: there, error: messageOf(error) }, 'an object of a folder was not copied');
        if (failures.length < maxFailures) failures.push({ path: there, status: statusOf(error, { status: 500, message: '' }) });
      }
    });
  }
  return failures;
}

/** A temporary file stays one, or becomes an object with its new name. */
async function transferFile(parts: Transfer, source: Resource & { kind: 'file' }): Promise<void> {
  const { context, to, path, existing } = parts;
  const { engine, scratch } = context;
  const staysOutside = scratch.takes(path) && !(existing?.kind === 'file' && 'entry' in existing.source);
  if ('entry' in source.source) {
    if (staysOutside)
      throw new DavError(403, `${path} cannot be made of an object: files of this name (webdav.ignore) are kept outside of the branch`);
    return transferEntry(parts, source.source.entry, path);
  }
  const { content, contentType } = source.source.scratch;
  if (staysOutside) return scratch.put(to.scratchPlace(path), { content, contentType });
  await engine.putObject(to.repository, to.ref, path, content, {
    contentType,
    size: content.length,
    condition: conditionThere(parts),
  });
}

/**
 * @throws SrvError `conflict` when others keep writing the source, `precondition_failed` when something is there that has to stay;
 * DavError 412 when the condition of the request does not hold for what is copied.
 */
async function transferEntry(parts: Transfer, known: Entry, path: string): Promise<void> {
  const { context, moves, from, to, marks, source, condition } = parts;
  for (let entry: Entry | undefined = known, left = tries; entry && left > 0; left--) {
    if (moves) entry = await marks.add(from, entry.path);
    // By now it may be another one than that which met the condition.
    if (source.kind === 'file') checkCondition({ ...source, etag: entry.etag }, condition);
    if (await copyEntry(context, { from, to, entry, path, keepsTime: moves, condition: conditionThere(parts) })) return;
    entry = await from.findEntry(known.path);
  }
  throw new SrvError('conflict', `${known.path} was changed while it was copied; repeat the operation`);
}

function conditionThere({ overwrites, source, destinationCondition }: Transfer): WriteCondition | undefined {
  if (!overwrites) return { ifAbsent: true };
  return source.kind === 'file' ? destinationCondition : undefined;
}
