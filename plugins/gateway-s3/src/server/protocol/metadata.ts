/** User metadata and descriptive headers: how they are stored with an object, and how they are shown. */

import { decodeWords, encodeWords } from './encoded-words.js';
import { S3Error } from './errors.js';
import { headerText } from './headers.js';
import type { HeaderLines } from './headers.js';

export type Metadata = Readonly<Record<string, string>>;

const headerPrefix = 'x-amz-meta-';
/** Of stored keys; the API shows them. */
const storedPrefix = 'X-Amz-Meta-';
/** Bytes of all names and values together. */
const maxBytes = 2048;
const token = /^[A-Za-z0-9\-_.#!$%&'*+^~`|]+$/;

/** Headers that describe the content: stored under their own names beside the user's, returned as they were. */
const descriptive = ['Cache-Control', 'Content-Disposition', 'Content-Encoding', 'Content-Language', 'Expires'] as const;

/** @throws S3Error `MetadataTooLarge`, or `InvalidArgument` for an encoding that is not known. */
export function readMetadata(headers: HeaderLines): Metadata {
  return { ...userMetadata(headers), ...descriptiveMetadata(headers) };
}

function userMetadata(headers: HeaderLines): Metadata {
  const found: [string, string][] = [];
  let bytes = 0;
  for (const header of headers.names().filter(name => name.startsWith(headerPrefix))) {
    const name = header.slice(headerPrefix.length);
    const values = headers.all(header).map(line => decodeWords(headerText(line)));
    if (values.includes(undefined)) throw new S3Error('InvalidArgument', { message: 'Invalid header value.' });
    // Repeated lines are one list.
    const value = values.join(',');
    bytes += name.length + Buffer.byteLength(value);
    if (token.test(name)) found.push([storedPrefix + name, value]);
  }
  if (bytes > maxBytes) throw new S3Error('MetadataTooLarge');
  return Object.fromEntries(found);
}

function descriptiveMetadata(headers: HeaderLines): Metadata {
  const found: [string, string][] = [];
  for (const name of descriptive) {
    const value = headers.text(name.toLowerCase());
    const kept = value === undefined || name !== 'Content-Encoding' ? value : withoutFraming(value);
    if (kept) found.push([name, headerText(kept)]);
  }
  return Object.fromEntries(found);
}

/** `aws-chunked` says how the body came, not what it is. */
function withoutFraming(encoding: string): string {
  if (!/(^|,)\s*aws-chunked\s*(,|$)/i.test(encoding)) return encoding;
  const rest = encoding.split(',').filter(part => part.trim().toLowerCase() !== 'aws-chunked');
  return rest.join(',').trim();
}

/** Headers of an answer that carries the object. */
export function metadataHeaders(metadata: Metadata): Record<string, string> {
  const headers: Record<string, string> = {};
  let missing = 0;
  for (const [key, value] of Object.entries(metadata)) {
    if (!key.startsWith(storedPrefix)) continue;
    const name = key.slice(storedPrefix.length).toLowerCase();
    if (token.test(name)) headers[headerPrefix + name] = encodeWords(value);
    else missing++;
  }
  if (missing > 0) headers['x-amz-missing-meta'] = String(missing);
  for (const name of descriptive) {
    const value = metadata[name];
    if (value) headers[name] = encodeWords(value);
  }
  return headers;
}
