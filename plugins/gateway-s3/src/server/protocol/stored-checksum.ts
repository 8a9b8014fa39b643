/**
 * The checksum an object was sent with, kept in its metadata: `<type> <algorithm> <base64> <etag>`, such as
 * `FULL_OBJECT crc32 AAAAAA== d41d8cd98f00b204e9800998ecf8427e`. Of an upload in parts those of the parts follow, one digest
 * after the other in one base64 text, where that has at most 1024 characters.
 */
import { checksumKey } from '@srv/engine/objects/metadata';
import { element } from './xml-writer.js';
import type { Metadata } from './metadata.js';
import type { XmlElement } from './xml-writer.js';

const form =
  /^(FULL_OBJECT|COMPOSITE) (crc32|crc32c|crc64nvme|sha1|sha256|sha512|md5|xxhash64|xxhash3|xxhash128) ([A-Za-z0-9+/]{6,86}={0,2}(?:-\d{1,5})?) (\S+?)(?: ([A-Za-z0-9+/]{6,}={0,2}))?$/;
/** Characters. */
const longestParts = 1024;

/** `COMPOSITE`: of the checksums of the parts. */
export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE';

export interface StoredChecksum {
  readonly type: ChecksumType;
  /** As in the header's name: `crc32`. */
  readonly algorithm: string;
  /** Base64; for a composite one followed by a dash and the number of parts. */
  readonly value: string;
  /** Of each part, base64. */
  readonly parts?: readonly string[];
}

/** Metadata that keeps it, for the content with that etag. */
export function keepChecksum({ type, algorithm, value, parts = [] }: StoredChecksum, etag: string): Metadata {
  const joined = Buffer.concat(parts.map(part => Buffer.from(part, 'base64'))).toString('base64');
  const kept = joined === '' || joined.length > longestParts ? '' : ` ${joined}`;
  return { [checksumKey]: `${type} ${algorithm} ${value} ${etag}${kept}` };
}

/** What {@link keepChecksum} kept. `undefined` when it is of another content: metadata travels without it. */
export function keptChecksum({ metadata, etag }: { readonly metadata: Metadata; readonly etag: string }): StoredChecksum | undefined {
  const [, type, algorithm = '', value = '', of, joined] = form.exec(metadata[checksumKey] ?? '') ?? [];
  if (type === undefined || of !== etag) return undefined;
  const parts = joined === undefined ? [] : partsIn(joined, value);
  return { type: type as ChecksumType, algorithm, value, ...(parts.length > 0 ? { parts } : {}) };
}

/** @param value of the whole: those of the parts have as many bytes. */
function partsIn(joined: string, value: string): string[] {
  const bytes = Buffer.from(joined, 'base64');
  const each = Buffer.from(value.replace(/-\d+$/, ''), 'base64').length;
  if (each === 0 || bytes.length % each !== 0) return [];
  return Array.from({ length: bytes.length / each }, (_, i) => bytes.subarray(i * each, (i + 1) * each).toString('base64'));
}

/** Of one part of an object that has as many parts as are kept. @param count parts of the object. */
export function partChecksum(checksum: StoredChecksum | undefined, part: number, count: number): StoredChecksum | undefined {
  const value = checksum?.parts?.length === count ? checksum.parts[part - 1] : undefined;
  return checksum && value !== undefined ? { type: checksum.type, algorithm: checksum.algorithm, value } : undefined;
}

/** The entry of `metadata` that keeps it: it belongs to the content, whatever else is replaced. */
export function checksumIn(metadata: Metadata): Metadata {
  const text = metadata[checksumKey];
  return text === undefined ? {} : { [checksumKey]: text };
}

export function checksumHeaders(checksum: StoredChecksum | undefined): Record<string, string> {
  return checksum ? { [`x-amz-checksum-${checksum.algorithm}`]: checksum.value, 'x-amz-checksum-type': checksum.type } : {};
}

export function checksumElements(checksum: StoredChecksum | undefined): XmlElement[] {
  return checksum ? [element(checksumElementName(checksum.algorithm), checksum.value), element('ChecksumType', checksum.type)] : [];
}

/** `crc32` → `ChecksumCRC32`. */
export function checksumElementName(algorithm: string): string {
  return `Checksum${algorithm.toUpperCase()}`;
}
