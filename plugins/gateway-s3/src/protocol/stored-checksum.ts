/**
 * The checksum an object was sent with, kept in its metadata: `<type> <algorithm> <base64> <etag>`, such as
 * `FULL_OBJECT crc32 AAAAAA== d41d8cd98f00b204e9800998ecf8427e`.
 */
import { checksumKey } from '@srv/catalog/metadata';
import { element } from './xml-writer.js';
import type { Metadata } from './metadata.js';
import type { XmlElement } from './xml-writer.js';

const form = /^(FULL_OBJECT|COMPOSITE) (crc32|crc32c|crc64nvme|sha1|sha256) ([A-Za-z0-9+/]{6,43}={0,2}(?:-\d{1,5})?) (\S+)$/;

/** `COMPOSITE`: of the checksums of the parts. */
export type ChecksumType = 'FULL_OBJECT' | 'COMPOSITE';

export interface StoredChecksum {
  readonly type: ChecksumType;
  /** As in the header's name: `crc32`. */
  readonly algorithm: string;
  /** Base64; of a composite one with a dash and the number of parts behind. */
  readonly value: string;
}

/** Metadata that keeps it, for the content with that etag. */
export function keepChecksum({ type, algorithm, value }: StoredChecksum, etag: string): Metadata {
  return { [checksumKey]: `${type} ${algorithm} ${value} ${etag}` };
}

/** What {@link keepChecksum} kept. `undefined` when it is of another content: metadata travels without it. */
export function keptChecksum({ metadata, etag }: { readonly metadata: Metadata; readonly etag: string }): StoredChecksum | undefined {
  const [, type, algorithm, value, of] = form.exec(metadata[checksumKey] ?? '') ?? [];
  return type === undefined || of !== etag ? undefined : { type: type as ChecksumType, algorithm, value };
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
