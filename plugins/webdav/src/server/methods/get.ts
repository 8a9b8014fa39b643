/** GET and HEAD: the bytes of a file; of a folder a list for browsers. */
import { contentTypeValue, escapeXml, headerValue, judge, mayContinue, parseRange, quoteEtag } from '@srv/lib-api/http';
import { mayList, mayObject } from '../context.js';
import { DavError } from '../errors.js';
import { describe } from '../properties/live.js';
import { repositoryMembers, rootMembers } from '../top.js';
import type { HttpResponse } from '@srv/http/contract';
import type { DavContext, DavMethod } from '../context.js';
import type { Described } from '../properties/live.js';
import type { ResourceTarget } from '../target.js';
import type { File, Tree } from '../tree.js';

/** Content comes from users: browsers must not run it as part of this server. */
const protection = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox",
};

/** A commit never changes. */
const forever = 'private, max-age=31536000, immutable';

export const get: DavMethod = async context => {
  const { target, face, request } = context;
  if (target.kind === 'server') throw new DavError(404, 'WebDAV is below /dav/');
  if (target.kind === 'root') return page('srv', rootMembers(context, 'root'));
  if (target.kind === 'repository') return page(target.repository, repositoryMembers(context, target, 1));
  const { repository, path, isFolder } = target;
  const reads = path !== '' && (await face.may(mayObject('fs:ReadObject', repository, path)));
  if (!reads) await face.demand(mayList(repository));
  const tree = await context.tree(target);
  if (reads && !isFolder) {
    const file = await tree.findFile(path);
    if (file) return content(context, tree, file);
  }
  await face.demand(mayList(repository));
  const folder = path === '' ? await tree.find(path) : await tree.findFolder(path);
  if (!folder) {
    if (!isFolder && !reads && (await tree.findFile(path))) await face.demand(mayObject('fs:ReadObject', repository, path));
    throw new DavError(404, `there is no ${path} at ${target.ref}`);
  }
  const own = (request.url ?? '').split('?', 1)[0] ?? '';
  if (!own.endsWith('/')) return { status: 301, headers: { Location: `${own}/` } };
  return page(`${repository}/${target.ref}/${path}`, members(tree, target));
};

async function* members(tree: Tree, { repository, ref, path }: ResourceTarget): AsyncGenerator<readonly Described[]> {
  const place = { repository, ref, locks: [], now: new Date(), isBranch: false };
  for await (const found of tree.members(path)) yield found.map(member => describe(member, place));
}

async function content({ engine, face, header, request }: DavContext, tree: Tree, file: File): Promise<HttpResponse> {
  const etag = headerValue(quoteEtag(file.etag));
  const identity = { ETag: etag, 'Last-Modified': file.lastModified.toUTCString(), ...(tree.isCommit ? { 'Cache-Control': forever } : {}) };
  const verdict = judge(
    {
      ifMatch: header('if-match'),
      ifNoneMatch: header('if-none-match'),
      ifModifiedSince: header('if-modified-since'),
      ifUnmodifiedSince: header('if-unmodified-since'),
    },
    etag,
    file.lastModified,
  );
  if (verdict === 'failed') throw new DavError(412, 'the condition of the request does not hold');
  if (verdict === 'not_modified') return { status: 304, headers: identity };
  const asked = parseRange(mayContinue(header('if-range'), etag) ? header('range') : undefined, file.size);
  if (asked.kind === 'outside')
    throw new DavError(416, 'the range is outside of the file', { headers: { 'Content-Range': `bytes */${file.size}` } });
  const range = asked.kind === 'part' ? asked.range : undefined;
  const length = range ? range.end - range.start + 1 : file.size;
  const headers = {
    'Content-Type': contentTypeValue(file.contentType),
    'Content-Length': String(length),
    'Accept-Ranges': 'bytes',
    ...identity,
    ...protection,
    ...(range ? { 'Content-Range': `bytes ${range.start}-${range.end}/${file.size}` } : {}),
  };
  const status = range ? 206 : 200;
  if (request.method === 'HEAD') return { status, headers };
  if ('scratch' in file.source) {
    const { content: bytes } = file.source.scratch;
    return { status, headers, body: range ? bytes.subarray(range.start, range.end + 1) : bytes };
  }
  const body = await engine.open(tree.repository, file.source.entry, { signal: face.signal, range });
  return { status, headers, body };
}

/** The first members of a folder; those of large ones are for other programs. */
async function page(title: string, listing: AsyncIterable<readonly Described[]>): Promise<HttpResponse> {
  const rows: string[] = [];
  let more = '';
  for await (const found of listing) {
    if (rows.length >= 1000) {
      more = '<p>…</p>';
      break;
    }
    for (const { href, displayName, isFolder } of found)
      rows.push(`<li><a href="${escapeXml(href)}">${escapeXml(displayName)}${isFolder ? '/' : ''}</a></li>`);
  }
  const heading = escapeXml(title);
  const body = `<!doctype html><meta charset="utf-8"><title>${heading}</title><h1>${heading}</h1><ul>${rows.join('\n')}</ul>${more}\n`;
  return { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8', ...protection }, body };
}
