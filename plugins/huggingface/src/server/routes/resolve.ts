/** Files: `…/resolve/<revision>/<path>`. */
import { isSrvError } from '@srv/kernel';
import { may, objectArn } from '@srv/lib-api';
import { contentTypeValue, judge, mayContinue, parseRange, quoteEtag } from '@srv/lib-api/http';
import { HubError, entryNotFound } from '../errors.js';
import { etagOf } from '../files.js';
import { aliasOf, findRepo, findRevision } from '../revision.js';
import type { RepoRoute } from '../context.js';

/** Content comes from users: browsers must not run it as part of this server. */
const protection = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox",
};

export const resolve: RepoRoute = async ({ engine, face, repo, rest, request }) => {
  const [revision = '', ...names] = rest;
  const path = names.join('/');
  await face.demand(may('fs:ReadObject', objectArn(repo.repository, path)));
  const repository = await findRepo(engine, repo);
  const commit = await findRevision(engine, repository, revision);
  const named = { 'X-Repo-Commit': aliasOf(commit.id) };
  const entry = await engine.getEntry(repository, commit.id, path).catch((error: unknown) => {
    // The commit is named, so that clients remember that the file does not exist.
    if (isSrvError(error, 'not_found', 'invalid')) throw entryNotFound(path, named);
    throw error;
  });
  const etag = quoteEtag(etagOf(entry));
  const headers = {
    ...named,
    ...protection,
    ETag: etag,
    'X-Linked-Size': String(entry.size),
    'X-Linked-Etag': etag,
    'Accept-Ranges': 'bytes',
    'Content-Type': contentTypeValue(entry.contentType),
    'Last-Modified': entry.lastModified.toUTCString(),
  };
  const verdict = judge(
    {
      ifMatch: request.headers['if-match'],
      ifNoneMatch: request.headers['if-none-match'],
      ifModifiedSince: request.headers['if-modified-since'],
      ifUnmodifiedSince: request.headers['if-unmodified-since'],
    },
    etag,
    entry.lastModified,
  );
  if (verdict === 'failed') throw new HubError(412, 'the condition of the request does not hold', { headers: named });
  if (verdict === 'not_modified') return { status: 304, headers: { ...named, ETag: etag } };
  if (request.method === 'HEAD') return { status: 200, headers: { ...headers, 'Content-Length': String(entry.size) } };
  const asked = parseRange(mayContinue(request.headers['if-range']?.toString(), etag) ? request.headers.range : undefined, entry.size);
  if (asked.kind === 'outside')
    throw new HubError(416, 'the range is outside of the file', { headers: { ...named, 'Content-Range': `bytes */${entry.size}` } });
  const range = asked.kind === 'part' ? asked.range : undefined;
  const body = await engine.open(repository, entry, { signal: face.signal, range });
  const length = range ? range.end - range.start + 1 : entry.size;
  return {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      'Content-Length': String(length),
      ...(range ? { 'Content-Range': `bytes ${range.start}-${range.end}/${entry.size}` } : {}),
    },
    body,
  };
};
