/** PROPFIND: properties of something, and of its members. */
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { readXmlBody } from '../body.js';
import { mayList, maySee } from '../context.js';
import { DavError } from '../errors.js';
import { keyOf } from '../properties/dead.js';
import { describe, liveNames, liveProperty } from '../properties/live.js';
import { repositoryMembers, rootMembers, rootOf } from '../top.js';
import { childElements, davChild } from '../xml/read.js';
import { dav, davNamespace, element, href, multistatusBegin, multistatusEnd, statusLine, statusResponse, xmlType } from '../xml/write.js';
import type { DavContext, DavMethod } from '../context.js';
import type { Described } from '../properties/live.js';
import type { ResourceTarget } from '../target.js';
import type { XmlElement } from '../xml/read.js';
import type { QName } from '../xml/write.js';

type Query =
  | { readonly kind: 'prop'; readonly names: readonly QName[] }
  | { readonly kind: 'allprop'; readonly include: readonly QName[] }
  | { readonly kind: 'propname' };

/** Names that one request may ask for. */
const maxNames = 200;

export const propfind: DavMethod = async context => {
  const depth = depthOf(context.header('depth'));
  const query = queryOf(await readXmlBody(context));
  const pages = described(context, depth);
  const begin = await pages.next();
  // What fails up to the first page of members is an error; later the answer has begun.
  const next = begin.done ? begin : await pages.next();
  const rest = next.done ? none() : joined(next.value, pages);
  const body = Readable.from(writing(context, query, begin.done ? [] : begin.value, rest), { objectMode: false });
  return { status: 207, headers: { 'Content-Type': xmlType }, body };
};

async function* none(): AsyncGenerator<readonly Described[]> {}

async function* joined(first: readonly Described[], rest: AsyncIterable<readonly Described[]>): AsyncGenerator<readonly Described[]> {
  yield first;
  yield* rest;
}

/** Without the header clients would wait for the whole tree, which RFC 4918 means by it. @throws DavError 403 for that. */
function depthOf(header: string | undefined): 0 | 1 {
  const depth = header?.trim().toLowerCase() ?? '1';
  if (depth === '0') return 0;
  if (depth === '1') return 1;
  if (depth !== 'infinity') throw new DavError(400, `the header Depth is ${header}; allowed: 0, 1`);
  throw new DavError(403, 'listings have depth 0 or 1', { condition: 'propfind-finite-depth' });
}

/** No body asks for all properties. @throws DavError 400. */
function queryOf(root: XmlElement | undefined): Query {
  if (!root) return { kind: 'allprop', include: [] };
  if (root.namespace !== davNamespace || root.name !== 'propfind') throw new DavError(400, 'the body is not a propfind element');
  if (davChild(root, 'propname')) return { kind: 'propname' };
  const prop = davChild(root, 'prop');
  if (prop) return { kind: 'prop', names: namesIn(prop) };
  if (!davChild(root, 'allprop')) throw new DavError(400, 'the propfind element has neither prop, allprop nor propname');
  const include = davChild(root, 'include');
  return { kind: 'allprop', include: include ? namesIn(include) : [] };
}

function namesIn(parent: XmlElement): QName[] {
  const names = childElements(parent).map(({ namespace, name }) => ({ namespace, name }));
  if (names.length > maxNames) throw new DavError(400, `the body names ${names.length} properties; allowed: ${maxNames}`);
  return names;
}

/** What the answer describes, in pages; the first begins with the target itself. */
async function* described(context: DavContext, depth: 0 | 1): AsyncGenerator<readonly Described[]> {
  const { target } = context;
  if (target.kind === 'server' || target.kind === 'root') {
    yield [rootOf(target.kind)];
    if (depth === 1) yield* rootMembers(context, target.kind);
  } else if (target.kind === 'repository') yield* repositoryMembers(context, target, depth);
  else yield* resources(context, target, depth);
}

async function* resources(context: DavContext, target: ResourceTarget, depth: 0 | 1): AsyncGenerator<readonly Described[]> {
  const { face, engine } = context;
  const { repository, ref, path, isFolder } = target;
  await face.demand(maySee(repository, path));
  const lists = await face.may(mayList(repository));
  const tree = await context.tree(target);
  const found = lists ? await tree.find(path) : await tree.findFile(path);
  if (!found || (isFolder && found.kind === 'file')) throw new DavError(404, `there is no ${path} at ${ref}`);
  const isBranch = await tree.isBranch();
  const now = isBranch ? new Date() : (await engine.getCommit(tree.repository, ref)).creationDate;
  const locks = isBranch ? await context.locks.list(tree.repository, ref) : [];
  const place = { repository, ref, locks, now, isBranch };
  yield [describe(found, place)];
  if (depth === 0 || found.kind === 'file') return;
  for await (const page of tree.members(path)) yield page.map(member => describe(member, place));
}

async function* writing(
  { target, settings, request, log }: DavContext,
  query: Query,
  first: readonly Described[],
  rest: AsyncIterable<readonly Described[]>,
): AsyncGenerator<string> {
  yield multistatusBegin + first.map(resource => response(resource, query)).join('');
  let members = 0;
  for await (const page of rest) {
    const room = settings.maxListing - members;
    // A page of a thousand takes a few milliseconds: other requests come in between.
    for (let at = 0; at < Math.min(page.length, room); at += 250) {
      yield page
        .slice(at, Math.min(at + 250, room))
        .map(resource => response(resource, query))
        .join('');
      await setImmediate();
    }
    members += page.length;
    if (members > settings.maxListing) {
      log.warn(
        { path: request.url ?? '', max_listing: settings.maxListing, kind: target.kind },
        'a listing was cut off; webdav.max_listing is the limit',
      );
      yield statusResponse((request.url ?? '').split('?', 1)[0] ?? '', 507, dav('number-of-matches-within-limits'));
      break;
    }
  }
  yield multistatusEnd;
}

function response(resource: Described, query: Query): string {
  const { found, missing } = select(resource, query);
  const propstat = (properties: string, status: number): string =>
    properties === '' ? '' : dav('propstat', dav('prop', properties) + statusLine(status));
  // A response without any propstat would not be valid.
  const shown = propstat(found, 200) + propstat(missing, 404);
  return dav('response', href(resource.href) + (shown || dav('propstat', dav('prop') + statusLine(200))));
}

function select(resource: Described, query: Query): { readonly found: string; readonly missing: string } {
  if (query.kind === 'prop') return byName(resource, query.names);
  const live = liveNames.filter(name => liveProperty(name, resource) !== undefined);
  if (query.kind === 'propname') {
    const dead = [...resource.dead.keys()].map(key => element(nameOf(key), ''));
    return { found: live.map(name => dav(name)).join('') + dead.join(''), missing: '' };
  }
  const known = new Set([...live.map(name => keyOf({ namespace: davNamespace, name })), ...resource.dead.keys()]);
  const included = byName(
    resource,
    query.include.filter(name => !known.has(keyOf(name))),
  );
  const all = live.map(name => dav(name, liveProperty(name, resource))).join('') + [...resource.dead.values()].join('');
  return { found: all + included.found, missing: included.missing };
}

function byName(resource: Described, names: readonly QName[]): { readonly found: string; readonly missing: string } {
  let [found, missing] = ['', ''];
  for (const name of names) {
    const live = name.namespace === davNamespace ? liveProperty(name.name, resource) : undefined;
    const dead = live === undefined ? resource.dead.get(keyOf(name)) : undefined;
    if (live !== undefined) found += element(name, live);
    else if (dead !== undefined) found += dead;
    else missing += element(name, '');
  }
  return { found, missing };
}

/** The name of a key that `keyOf` made: namespaces may hold braces, names may not. */
function nameOf(key: string): QName {
  const end = key.lastIndexOf('}');
  return { namespace: key.slice(1, end), name: key.slice(end + 1) };
}
