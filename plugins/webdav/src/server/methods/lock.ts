/** LOCK and UNLOCK. */
import { escapeXml } from '@srv/lib-api/http';
import { readXmlBody } from '../body.js';
import { checkCondition, conditionOf } from '../conditions.js';
import { inRef, mayObject } from '../context.js';
import { DavError } from '../errors.js';
import { demandUnlocked, locked } from '../locks/check.js';
import { parseIf, submittedTokens } from '../locks/if-header.js';
import { conflicting, covers, lockDiscovery, lockRoot, parseTimeout } from '../locks/lock.js';
import { childElements, davChild, isDav, textOf, toXml } from '../xml/read.js';
import { dav, davNamespace, xmlHeader, xmlType } from '../xml/write.js';
import type { HttpResponse } from '@srv/http/contract';
import type { DavMethod, ResourceContext } from '../context.js';
import type { Lock } from '../locks/lock.js';
import type { Tree } from '../tree.js';
import type { XmlElement } from '../xml/read.js';

/** Characters of the element `owner`. */
const maxOwner = 2000;

export const lock: DavMethod = async any => {
  const context = inRef(any);
  const { target, face, header, engine } = context;
  const { repository, ref, path } = target;
  const object = path === '' ? '/' : path;
  await face.demand(mayObject('fs:WriteObject', repository, object));
  const body = await readXmlBody(context);
  const tree = await context.tree(target);
  await tree.demandBranch();
  await engine.checkWrite(tree.repository, ref, object);
  if (!body) return refresh(context, tree);
  const wanted = {
    path,
    depth: depthOf(header('depth')),
    ...wantedLock(body),
    user: face.user.username,
    timeout: parseTimeout(header('timeout')),
  };
  const found = await tree.find(path);
  if (found?.kind === 'file' && target.isFolder) throw new DavError(404, `there is no folder ${path} at ${ref}`);
  checkCondition(found, await conditionOf(context));
  if (!found) {
    if (target.isFolder || !(await tree.hasParent(path))) throw new DavError(409, `the folder of ${path} does not exist`);
    await demandUnlocked(context, tree, { path, membership: true, deep: false });
  }
  const check = (held: readonly Lock[]): void => {
    const other = conflicting(held, wanted);
    if (other) throw locked(lockRoot(repository, ref, other), 'no-conflicting-lock');
  };
  const prepare = found ? undefined : (): Promise<void> => reserve(context, tree, path);
  const granted = await context.locks.grant(tree.repository, ref, wanted, check, prepare);
  return discovery(tree, granted, found ? 200 : 201, { 'Lock-Token': `<${granted.token}>` });
};

export const unlock: DavMethod = async any => {
  const context = inRef(any);
  const { target, face, header, locks } = context;
  await face.demand(mayObject('fs:WriteObject', target.repository, target.path === '' ? '/' : target.path));
  const token = /^\s*<([^<>\s]+)>\s*$/.exec(header('lock-token') ?? '')?.[1];
  if (token === undefined) throw new DavError(400, 'UNLOCK needs the header Lock-Token: <token>');
  const tree = await context.tree(target);
  const held = (await locks.list(tree.repository, tree.ref)).find(one => one.token === token && covers(one, target.path));
  if (!held) throw new DavError(409, 'there is no such lock here', { condition: 'lock-token-matches-request-uri' });
  if (held.user !== face.user.username) throw new DavError(403, 'the lock belongs to another user');
  await locks.remove(tree.repository, tree.ref, held);
  return { status: 204 };
};

/** An empty file takes the place of one that is to come; its tag stays the same until it is written. */
async function reserve({ engine, scratch }: ResourceContext, tree: Tree, path: string): Promise<void> {
  const contentType = 'application/octet-stream';
  if (scratch.takes(path)) await scratch.put(tree.scratchPlace(path), { content: Buffer.alloc(0), contentType });
  else await engine.putObject(tree.repository, tree.ref, path, Buffer.alloc(0), { contentType, condition: { ifAbsent: true } });
}

/** Extends the lock that the header `If` names. @throws DavError 412, 400. */
async function refresh({ target, face, header, locks }: ResourceContext, tree: Tree): Promise<HttpResponse> {
  const condition = header('if');
  if (condition === undefined) throw new DavError(400, 'a LOCK without body extends a lock, which the header If names');
  const tokens = submittedTokens(parseIf(condition));
  const held = (await locks.list(tree.repository, tree.ref)).find(
    one => tokens.has(one.token) && one.user === face.user.username && covers(one, target.path),
  );
  const next = held && (await locks.refresh(tree.repository, tree.ref, held, parseTimeout(header('timeout'))));
  if (!next) throw new DavError(412, 'there is no such lock here', { condition: 'lock-token-matches-request-uri' });
  return discovery(tree, next, 200);
}

function discovery({ repository, ref }: Tree, one: Lock, status: number, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  const content = dav('lockdiscovery', lockDiscovery(repository.id, ref, [one]));
  return {
    status,
    headers: { 'Content-Type': xmlType, ...headers },
    body: `${xmlHeader}<D:prop xmlns:D="DAV:">${content}</D:prop>\n`,
  };
}

/** @throws DavError 400. */
function depthOf(header: string | undefined): Lock['depth'] {
  const depth = header?.trim().toLowerCase() ?? 'infinity';
  if (depth === '0' || depth === 'infinity') return depth;
  throw new DavError(400, `the header Depth is ${header}; allowed: 0, infinity`);
}

/** @throws DavError 400. */
function wantedLock(root: XmlElement): Pick<Lock, 'scope' | 'owner'> {
  if (root.namespace !== davNamespace || root.name !== 'lockinfo') throw new DavError(400, 'the body is not a lockinfo element');
  const [scope, type] = ['lockscope', 'locktype'].map(name => davChild(root, name));
  const isShared = scope && davChild(scope, 'shared');
  const isExclusive = scope && davChild(scope, 'exclusive');
  if (Boolean(isShared) === Boolean(isExclusive)) throw new DavError(400, 'lockscope must be either exclusive or shared');
  if (!type || !davChild(type, 'write')) throw new DavError(400, 'locktype is not write');
  const owner = ownerOf(davChild(root, 'owner'));
  if (owner.length > maxOwner) throw new DavError(400, `the owner has more than ${maxOwner} characters`);
  return { scope: isShared ? 'shared' : 'exclusive', owner };
}

/** As it was sent: clients recognise their own locks by it. */
function ownerOf(owner: XmlElement | undefined): string {
  if (!owner) return '';
  return owner.children
    .map(child =>
      typeof child === 'string'
        ? escapeXml(child)
        : isDav(child, 'href') && childElements(child).length === 0
          ? dav('href', escapeXml(textOf(child)))
          : toXml(child),
    )
    .join('');
}
