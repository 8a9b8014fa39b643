/** Checksums a client may send with a body: `Content-MD5` and one `x-amz-checksum-*`. */

import { SrvError } from '@srv/kernel';
import { hashKind } from '@srv/lib-stores/body-digest';
import { crc32, crc32c } from '@srv/lib-stores/crc32';
import { crc64nvme } from '@srv/lib-stores/crc64';
import { xxhash128, xxhash3, xxhash64 } from '@srv/lib-stores/xxhash';
import { S3Error } from '../protocol/errors.js';
import type { DigestKind } from '@srv/lib-stores/body-digest';
import type { RunningDigest } from '@srv/lib-stores/crc32';
import type { HeaderLines } from '../protocol/headers.js';

const prefix = 'x-amz-checksum-';

interface Algorithm extends DigestKind {
  /** Bytes of the digest. */
  readonly size: number;
}

/** By the last part of the header's name. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  crc32: { size: 4, name: 'crc32', start: crc32 },
  crc32c: { size: 4, name: 'crc32c', start: crc32c },
  crc64nvme: { size: 8, name: 'crc64nvme', start: crc64nvme },
  sha1: { size: 20, ...hashKind('sha1') },
  sha256: { size: 32, ...hashKind('sha256') },
  sha512: { size: 64, ...hashKind('sha512') },
  md5: { size: 16, ...hashKind('md5') },
  xxhash64: { size: 8, name: 'xxhash64', start: xxhash64 },
  xxhash3: { size: 8, name: 'xxhash3', start: xxhash3 },
  xxhash128: { size: 16, name: 'xxhash128', start: xxhash128 },
};

/** `crc32`, `sha256` and the others. */
const checksumAlgorithms: readonly string[] = Object.keys(algorithms);

/** Headers about checksums that do not carry one. */
const notDigests: ReadonlySet<string> = new Set(['algorithm', 'mode', 'type'].map(name => prefix + name));

/** What a body must add up to. */
export interface Expectation {
  /** Header name, such as `x-amz-checksum-crc32`; `content-md5` for the old one. */
  readonly header: string;
  readonly kind: DigestKind;
  /** Absent: it comes in the trailer. */
  readonly expected?: Buffer;
}

/** @param algorithm in lower case. */
export function isChecksumAlgorithm(algorithm: string): boolean {
  return Object.hasOwn(algorithms, algorithm);
}

/** The error for a request that names another algorithm. */
export function unknownAlgorithm(): S3Error {
  const names = checksumAlgorithms.map(name => name.toUpperCase()).join(', ');
  return new S3Error('InvalidRequest', {
    message: `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${names}]`,
  });
}

/** Whether `name` is a checksum header this server can verify. */
export function isChecksumHeader(name: string): boolean {
  return name.startsWith(prefix) && Object.hasOwn(algorithms, algorithmOf(name));
}

/** The algorithm of the checksum that comes with a body, in a header or in the trailer. */
export function announcedAlgorithm(headers: HeaderLines): string | undefined {
  const trailer = headers.text('x-amz-trailer')?.toLowerCase();
  const header = headers.names().find(isChecksumHeader) ?? (trailer !== undefined && isChecksumHeader(trailer) ? trailer : undefined);
  return header === undefined ? undefined : algorithmOf(header);
}

/** `x-amz-checksum-crc32` → `crc32`. */
export function algorithmOf(header: string): string {
  return header.slice(prefix.length);
}

function algorithmBy(header: string): Algorithm {
  const found = algorithms[algorithmOf(header)];
  if (!found) throw new SrvError('internal', `${header} is not the header of a checksum`);
  return found;
}

/** The kind of checksum that a header carries. */
export function checksumKind(header: string): DigestKind {
  return algorithmBy(header);
}

/** A fresh digest for a checksum header. */
export function startChecksum(header: string): RunningDigest {
  return algorithmBy(header).start();
}

/** The value of a checksum header; @throws S3Error `InvalidRequest` when it is not a digest of that kind. */
export function decodeChecksum(header: string, value: string): Buffer {
  const bytes = fromBase64(value, algorithmBy(header).size);
  if (!bytes) throw new S3Error('InvalidRequest', { message: `Value for ${header} header is invalid.` });
  return bytes;
}

/**
 * What the headers of a request announce.
 * @throws S3Error `InvalidDigest` for an invalid `Content-MD5`, `InvalidRequest` for other values or several checksums.
 */
export function announcedChecksums(headers: HeaderLines): Expectation[] {
  const found = announcedMd5(headers);
  const header = onlyChecksumHeader(headers);
  if (header === undefined) return found;
  return [...found, { header, kind: checksumKind(header), expected: decodeChecksum(header, digestIn(headers, header)) }];
}

/** A checksum of an object that is not the body of the request. */
interface ClaimedChecksum {
  /** As in the header's name: `crc32`. */
  readonly algorithm: string;
  /** Base64, which a dash and a number of parts may follow. */
  readonly value: string;
}

/** What the headers say about an object that is not the body. @throws S3Error `InvalidRequest` as {@link announcedChecksums}. */
export function claimedChecksum(headers: HeaderLines): ClaimedChecksum | undefined {
  const header = onlyChecksumHeader(headers);
  if (header === undefined) return undefined;
  const value = digestIn(headers, header);
  decodeChecksum(header, value.replace(/-\d{1,5}$/, ''));
  return { algorithm: algorithmOf(header), value };
}

/** @throws S3Error `InvalidRequest` for several, or one that cannot be verified here. */
function onlyChecksumHeader(headers: HeaderLines): string | undefined {
  const unknown = headers.names().find(name => name.startsWith(prefix) && !isChecksumHeader(name) && !notDigests.has(name));
  if (unknown !== undefined)
    throw new S3Error('InvalidRequest', { message: `${unknown} cannot be verified here; use one of ${checksumAlgorithms.join(', ')}.` });
  const names = headers.names().filter(isChecksumHeader);
  if (names.length > 1) throw new S3Error('InvalidRequest', { message: 'Expecting a single x-amz-checksum- header.' });
  return names[0];
}

function digestIn(headers: HeaderLines, header: string): string {
  return headers.first(header)?.trim() ?? '';
}

/** Always of the body itself. @throws S3Error `InvalidDigest`. */
export function announcedMd5(headers: HeaderLines): Expectation[] {
  const md5 = headers.get('content-md5');
  if (md5 === undefined) return [];
  const expected = fromBase64(md5.trim(), 16);
  if (!expected) throw new S3Error('InvalidDigest');
  return [{ header: 'content-md5', kind: hashKind('md5'), expected }];
}

/** Strict: canonical base64 of exactly `size` bytes. */
function fromBase64(text: string, size: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === size && bytes.toString('base64') === text ? bytes : undefined;
}
