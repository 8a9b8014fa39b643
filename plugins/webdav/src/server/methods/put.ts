/** PUT: the body becomes the file. */
import { quoteEtag, wholeBody } from '@srv/lib-api/http';
import { readWhole } from '../body.js';
import { checkCondition, conditionOf } from '../conditions.js';
import { inRef, mayObject } from '../context.js';
import { DavError } from '../errors.js';
import { demandUnlocked } from '../locks/check.js';
import { propertiesKey } from '../properties/dead.js';
import { maxScratchBytes } from '../scratch.js';
import type { Entry } from '@srv/engine/contract';
import type { Condition } from '../conditions.js';
import type { DavMethod, ResourceContext } from '../context.js';
import type { File, Tree } from '../tree.js';

const anyType = 'application/octet-stream';

export const put: DavMethod = async any => {
  const context = inRef(any);
  const { target, face, engine, header } = context;
  const { repository, ref, path, isFolder } = target;
  if (path === '' || isFolder) throw new DavError(405, 'a folder cannot be written; leave the slash at the end of the URL out');
  await face.demand(mayObject('fs:WriteObject', repository, path));
  if (header('content-range') !== undefined) throw new DavError(400, 'a part of a file cannot be written; send all of it');
  const tree = await context.tree(target);
  await tree.demandBranch();
  const condition = await conditionOf(context);
  await engine.checkWrite(tree.repository, ref, path);
  const existing = await tree.find(path);
  if (existing?.kind === 'folder') throw new DavError(405, `${path} is a folder`);
  checkCondition(existing, condition);
  if (!existing && !(await tree.hasParent(path))) throw new DavError(409, `the folder of ${path} does not exist`);
  await demandUnlocked(context, tree, { path, membership: !existing, deep: false });
  const etag = await store(context, tree, existing, condition);
  return { status: existing ? 204 : 201, headers: { ETag: quoteEtag(etag) } };
};

/** @returns the tag of what was stored. */
async function store(context: ResourceContext, tree: Tree, existing: File | undefined, condition: Condition | undefined): Promise<string> {
  const { face, request, engine, header, scratch } = context;
  const { path, ref } = context.target;
  const contentType = header('content-type')?.trim() || existing?.contentType || anyType;
  if (scratch.takes(path) && !(existing && 'entry' in existing.source)) {
    const content = await readWhole(context, maxScratchBytes);
    await scratch.put(tree.scratchPlace(path), { content, contentType });
    return (await scratch.find(tree.scratchPlace(path)))?.etag ?? '';
  }
  const size = announcedSize(header('content-length'), header('x-expected-entity-length'));
  face.acceptBody();
  const properties = existing?.metadata[propertiesKey];
  const entry: Entry = await engine.putObject(tree.repository, ref, path, wholeBody(request), {
    contentType,
    checked: true,
    signal: face.signal,
    metadata: properties === undefined ? {} : { [propertiesKey]: properties },
    size,
    condition,
  });
  return entry.etag;
}

/** What the client says it sends; Finder names the length of a body in chunks in a header of its own. @throws DavError 400. */
function announcedSize(length: string | undefined, expected: string | undefined): number | undefined {
  const text = length ?? expected;
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new DavError(400, `the length ${text} is not a number`);
  return Number(text);
}
