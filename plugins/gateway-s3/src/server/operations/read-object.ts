/** GetObject and HeadObject. */
import { contentTypeValue, headerValue, judge, mayContinue, parseRange, quoteEtag } from '@srv/lib-api/http';
import { namespaceOf, storeOf } from '@srv/lib-stores/block';
import { httpDate } from '../protocol/dates.js';
import { S3Error } from '../protocol/errors.js';
import { metadataHeaders } from '../protocol/metadata.js';
import { checksumHeaders, keptChecksum, partChecksum } from '../protocol/stored-checksum.js';
import { tagCountHeader } from '../protocol/tags.js';
import { keptPartSizes } from '../uploads/part-sizes.js';
import { findEntry, pointerTo } from './entries.js';
import { withLostData } from './failures.js';
import { objectOperation } from './operation.js';
import { onObject } from './permissions.js';
import type { Entry } from '@srv/engine/contract';
import type { RequestedRange } from '@srv/lib-api/http';
import type { ByteRange } from '@srv/lib-stores/block';
import type { Headers } from '../s3-response.js';
import type { ObjectContext } from './context.js';

/** Content comes from users: browsers must not run it as part of this server. */
const protection = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  'Content-Security-Policy': "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox",
};

/** Query name → header it overrides. */
const overrides: Readonly<Record<string, string>> = {
  'response-content-type': 'Content-Type',
  'response-content-language': 'Content-Language',
  'response-expires': 'Expires',
  'response-cache-control': 'Cache-Control',
  'response-content-disposition': 'Content-Disposition',
  'response-content-encoding': 'Content-Encoding',
};

/** Clients with this in their `User-Agent` read from the block store themselves. */
const redirectionTag = 's3RedirectionSupport';

interface Found {
  readonly entry: Entry;
  readonly status: 200 | 206 | 304;
  readonly headers: Headers;
  readonly length: number;
  readonly range?: ByteRange;
}

export const getObject = objectOperation({
  name: 'GetObject',
  method: 'GET',
  permission: onObject('fs:ReadObject'),
  async handle(context) {
    const { answer, engine, repository, block, headers } = context;
    const { entry, status, headers: shown, length, range } = await find(context);
    if (status === 304) return answer.empty(304, shown);
    if (status === 206 && length === 0) return answer.empty(206, { ...shown, ...protection });
    if (headers.get('user-agent')?.includes(redirectionTag) && storeOf(block, namespaceOf(repository)).info.preSign) {
      const { url } = await block.preSign(pointerTo(repository, entry), 'read');
      return answer.empty(307, { Location: url });
    }
    // Opened before the first header is sent, so that missing data can still be reported.
    const body = await withLostData(engine.open(repository.id, entry, { signal: context.signal, range }));
    await answer.stream(status, { ...shown, ...protection }, length, body);
  },
});

export const headObject = objectOperation({
  name: 'HeadObject',
  method: 'HEAD',
  permission: onObject('fs:ReadObject'),
  async handle(context) {
    const { status, headers, length } = await find(context);
    await context.answer.empty(status, status === 304 ? headers : { 'Content-Length': String(length), ...headers });
  },
});

/** Conditions come before ranges. */
async function find({ engine, repository, ref, path, headers, query }: ObjectContext): Promise<Found> {
  const entry = await findEntry(engine, { repository: repository.id, ref, path });
  const verdict = judge(
    {
      ifMatch: headers.text('if-match'),
      ifNoneMatch: headers.text('if-none-match'),
      ifModifiedSince: headers.text('if-modified-since'),
      ifUnmodifiedSince: headers.text('if-unmodified-since'),
    },
    headerValue(entry.etag),
    entry.lastModified,
  );
  if (verdict === 'failed') throw new S3Error('PreconditionFailed');
  const identity = { ETag: quoteEtag(headerValue(entry.etag)), 'Last-Modified': httpDate(entry.lastModified) };
  if (verdict === 'not_modified') return { entry, status: 304, headers: identity, length: 0 };

  const described = {
    'Accept-Ranges': 'bytes',
    'Content-Type': contentTypeValue(entry.contentType),
    ...identity,
    ...metadataHeaders(entry.metadata),
    ...tagCountHeader(entry.metadata),
    ...(query.text('partNumber') === undefined ? {} : partsCount(entry)),
    ...overridden(query),
  };
  const asked = rangeOf({ headers, query }, entry);
  if (asked.kind === 'outside') throw new S3Error('InvalidRange', { headers: { 'Content-Range': `bytes */${entry.size}` } });
  if (asked.kind === 'whole')
    return { entry, status: 200, headers: { ...described, ...checksumOf({ headers, query }, entry, asked.kind) }, length: entry.size };
  const { start, end } = asked.range;
  const length = end - start + 1;
  // The header cannot express an empty range.
  const place = length === 0 ? {} : { 'Content-Range': `bytes ${start}-${end}/${entry.size}` };
  return {
    entry,
    status: 206,
    headers: { ...described, ...checksumOf({ headers, query }, entry, asked.kind), ...place },
    length,
    range: asked.range,
  };
}

/**
 * One part of an object, where its parts are known; otherwise objects have one part, however they were uploaded. An empty part, which
 * only the last one can be, is a range that ends before it starts.
 */
function rangeOf({ headers, query }: Pick<ObjectContext, 'headers' | 'query'>, entry: Entry): RequestedRange {
  const { size, etag } = entry;
  const part = query.text('partNumber');
  if (part !== undefined) {
    if (headers.text('range') !== undefined)
      throw new S3Error('InvalidRequest', { message: 'Cannot specify both Range header and partNumber query parameter' });
    if (!/^0*[1-9]\d{0,8}$/.test(part))
      throw new S3Error('InvalidArgument', { message: 'Part number must be an integer between 1 and 10000, inclusive' });
    const sizes = keptPartSizes(entry) ?? [size];
    const length = sizes[Number(part) - 1];
    if (length === undefined) throw new S3Error('InvalidPart');
    const start = sizes.slice(0, Number(part) - 1).reduce((sum, before) => sum + before, 0);
    return size === 0 ? { kind: 'whole' } : { kind: 'part', range: { start, end: start + length - 1 } };
  }
  const continues = mayContinue(headers.text('if-range'), headerValue(etag));
  return parseRange(continues ? headers.text('range') : undefined, size);
}

/** For clients that ask: of the whole object, or of the part that is read. Checksums of ranges are not stored. */
function checksumOf({ headers, query }: Pick<ObjectContext, 'headers' | 'query'>, entry: Entry, shown: 'whole' | 'part'): Headers {
  if (headers.text('x-amz-checksum-mode')?.toUpperCase() !== 'ENABLED') return {};
  const part = query.text('partNumber');
  const kept = keptChecksum(entry);
  if (part === undefined) return shown === 'whole' ? checksumHeaders(kept) : {};
  const sizes = keptPartSizes(entry);
  return checksumHeaders(sizes ? partChecksum(kept, Number(part), sizes.length) : kept);
}

function partsCount(entry: Entry): Headers {
  const sizes = keptPartSizes(entry);
  return sizes ? { 'x-amz-mp-parts-count': String(sizes.length) } : {};
}

function overridden(query: ObjectContext['query']): Headers {
  if (!query.pairs.some(([name]) => name.startsWith('response-'))) return {};
  return Object.fromEntries(
    Object.entries(overrides).flatMap(([name, header]) => {
      const value = query.text(name);
      return value === undefined ? [] : [[header, headerValue(value)]];
    }),
  );
}
