/** What an upload request carries: bytes, their type, and metadata in headers. */
import { SrvError } from '@srv/kernel';
import { decodeHeader } from '@srv/lib-api';
import { smallBody, wholeBody } from '@srv/lib-api/http';
import { smallBytes } from './content.js';
import { boundaryOf, findPart } from './multipart.js';
import type { Readable } from 'node:stream';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

interface Upload {
  /** Fails when the request turns out to carry another number of bytes than it announces. */
  readonly body: Readable | Buffer;
  /** As sent, parameters included. */
  readonly contentType: string;
  /** Bytes, when the request says so. */
  readonly size?: number;
}

const anyType = 'application/octet-stream';

/** Header prefix → prefix of the stored key. The rest of the name is stored in lower case. */
const metadataPrefixes: Readonly<Record<string, string>> = {
  'x-lakefs-meta-': '',
  'x-srv-meta-': '',
  'x-lakefs-internal-': '::lakefs::',
  'x-srv-internal-': '::lakefs::',
};

/** @throws SrvError `invalid` for a form without the part `content`, and for a small body that is longer than announced. */
export async function readUpload(headers: Headers, body: Readable): Promise<Upload> {
  const type = first(headers['content-type']) ?? '';
  if (/^multipart\/form-data\b/i.test(type)) {
    const boundary = boundaryOf(type);
    if (boundary === undefined)
      throw new SrvError('invalid', 'multipart/form-data without a boundary: no multipart boundary param in Content-Type');
    const part = await findPart(wholeBody(body), boundary, 'content');
    return { body: part.body, contentType: part.contentType || anyType };
  }
  const length = first(headers['content-length']);
  const contentType = type || anyType;
  if (length === undefined || !/^\d+$/.test(length)) return { body: wholeBody(body), contentType };
  const size = Number(length);
  return { body: size <= smallBytes ? await smallBody(body, size) : wholeBody(body), contentType, size };
}

/**
 * User metadata in headers, by stored key. Of repeated headers the first one counts.
 * @param lines names and values in turn, as they arrived.
 */
export function metadataFrom(lines: readonly string[]): Record<string, string> {
  const found = new Map<string, string>();
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const [name = '', value = ''] = [lines[i]?.toLowerCase(), lines[i + 1]];
    const prefix = Object.keys(metadataPrefixes).find(p => name.startsWith(p));
    if (prefix === undefined || name.length === prefix.length) continue;
    const key = `${metadataPrefixes[prefix]}${name.slice(prefix.length)}`;
    if (!found.has(key)) found.set(key, decodeHeader(value));
  }
  return Object.fromEntries(found);
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
