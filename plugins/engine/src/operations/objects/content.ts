/** Answers that carry an object, or describe one that could be carried. */

import { SrvError } from '@srv/kernel';
import { reply } from '@srv/lib-api';
import { contentTypeValue, headerValue, judge, mayContinue, quoteEtag } from '@srv/lib-api/http';
import { storeOf } from '@srv/lib-stores/block';
import { contentHeaders, dispositionOf } from './disposition.js';
import { parseRange } from './range.js';
import type { Readable } from 'node:stream';
import type { Reply } from '@srv/lib-api';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Entry } from '../../contract.js';
import type { ByteRange } from './range.js';

/** Bytes of objects that are read and written in one step, too quickly for a client to disconnect meanwhile. */
export const smallBytes = 64 << 10;

/** Values of the headers that choose what of an object is sent, if anything. */
interface ReadHeaders {
  readonly Range?: string | undefined;
  readonly 'If-Match'?: string | undefined;
  readonly 'If-None-Match'?: string | undefined;
  readonly 'If-Modified-Since'?: string | undefined;
  readonly 'If-Unmodified-Since'?: string | undefined;
  readonly 'If-Range'?: string | undefined;
}

interface ContentRequest {
  readonly entry: Entry;
  readonly headers: ReadHeaders;
  /** Where the object is to be read instead of here. */
  readonly redirect?: (() => Promise<Reply>) | undefined;
  /** Absent: headers only. */
  readonly open?: (range?: ByteRange) => Promise<Readable>;
}

/**
 * What the conditions of a read answer instead of the object; `undefined` when it is to be sent.
 * @throws SrvError `precondition_failed`.
 */
function conditionReply(entry: Entry, headers: ReadHeaders): Reply | undefined {
  const etag = headerValue(quoteEtag(entry.etag));
  const conditions = {
    ifMatch: headers['If-Match'],
    ifNoneMatch: headers['If-None-Match'],
    ifModifiedSince: headers['If-Modified-Since'],
    ifUnmodifiedSince: headers['If-Unmodified-Since'],
  };
  const verdict = judge(conditions, etag, entry.lastModified);
  if (verdict === 'failed') throw new SrvError('precondition_failed', 'Precondition failed');
  return verdict === 'not_modified' ? reply({ status: 304, headers: { ETag: etag } }) : undefined;
}

/** Conditions come before ranges; a range that cannot be served is refused. */
export async function contentReply({ entry, headers: given, redirect, open }: ContentRequest): Promise<Reply> {
  const instead = conditionReply(entry, given) ?? (await redirect?.());
  if (instead) return instead;
  const etag = headerValue(quoteEtag(entry.etag));
  const asked = parseRange(mayContinue(given['If-Range'], etag) ? given.Range : undefined, entry.size);
  if (asked.kind === 'malformed' || asked.kind === 'outside') {
    const outside: Record<string, string> = asked.kind === 'outside' ? { 'Content-Range': `bytes */${entry.size}` } : {};
    return reply({ status: 416, headers: outside, body: { message: 'Requested Range Not Satisfiable' } });
  }
  const part = asked.kind === 'part' ? asked.range : undefined;
  const headers: Record<string, string> = {
    ETag: etag,
    'Last-Modified': entry.lastModified.toUTCString(),
    'Accept-Ranges': 'bytes',
    'Content-Type': contentTypeValue(entry.contentType),
    ...contentHeaders(entry.contentType),
  };
  const size = part ? part.end - part.start + 1 : entry.size;
  if (open) headers['Content-Disposition'] = dispositionOf(entry.contentType);
  if (part) headers['Content-Range'] = `bytes ${part.start}-${part.end}/${entry.size}`;
  const status = part ? 206 : 200;
  return reply(
    open
      ? { status, headers, stream: { size, body: await open(part) } }
      : { status, headers: { ...headers, 'Content-Length': String(size) } },
  );
}

/** @throws SrvError `invalid` where the block store of a namespace has no pre-signed URLs. */
export function checkPreSign(block: BlockStore, namespace: string): void {
  const { info, type } = storeOf(block, namespace);
  if (!info.preSign) throw new SrvError('invalid', `pre-signed URLs are not supported by the ${type} block store: operation not supported`);
}

/** A URL that reads the object without this server. @throws SrvError as {@link checkPreSign}. */
export async function preSignRead(block: BlockStore, namespace: string, entry: Entry) {
  checkPreSign(block, namespace);
  const pointer = { namespace, identifier: entry.address, identifierType: entry.addressType };
  return block.preSign(pointer, 'read', entry.path.slice(entry.path.lastIndexOf('/') + 1));
}
