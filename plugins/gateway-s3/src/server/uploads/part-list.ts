/** The list of parts a client completes an upload with. */

import { createHash } from 'node:crypto';
import { Pace } from '@srv/kernel';
import { bareEtag } from '@srv/lib-api/http';
import { S3Error } from '../protocol/errors.js';
import { childText, childrenOf, readLongXml } from '../protocol/xml-reader.js';
import type { ListedPart, UploadedPart } from '@srv/lib-stores/block';
import type { XmlNode } from '../protocol/xml-reader.js';

const maxParts = 10_000;
/** Bytes every part but the last must have. */
const minPartSize = 5 * 1024 * 1024;
/** Elements that carry a checksum, of whatever algorithm. */
const checksumElement = /^Checksum(?!Type$|Algorithm$)(.+)$/;

export interface PartToJoin extends UploadedPart {
  /** What the client takes for its checksum, by algorithm, known or not: base64 if it is right. */
  readonly checksums: ReadonlyMap<string, string>;
}

/** @throws S3Error `MalformedXML`, or `InvalidPartOrder` unless numbers ascend. */
export async function parsePartList(text: string): Promise<PartToJoin[]> {
  const elements = childrenOf(await readLongXml(text, 'CompleteMultipartUpload'), 'Part');
  if (elements.length === 0 || elements.length > maxParts) throw new S3Error('MalformedXML');
  const pace = new Pace();
  const parts: PartToJoin[] = [];
  for (const part of elements) {
    parts.push(partOf(part));
    await pace.rest();
  }
  if (parts.some(({ partNumber, etag }) => !(partNumber >= 1 && partNumber <= maxParts) || etag === '')) throw new S3Error('MalformedXML');
  if (parts.some(({ partNumber }, i) => i > 0 && partNumber <= (parts[i - 1]?.partNumber ?? 0))) throw new S3Error('InvalidPartOrder');
  return parts;
}

function partOf(part: XmlNode): PartToJoin {
  return {
    partNumber: Number(/^\s*(\d{1,5})\s*$/.exec(childText(part, 'PartNumber') ?? '')?.[1] ?? Number.NaN),
    etag: bareEtag(childText(part, 'ETag') ?? ''),
    checksums: checksumsOf(part),
  };
}

/** `ChecksumCRC32` → `crc32`. Empty elements claim nothing. */
function checksumsOf({ children }: XmlNode): ReadonlyMap<string, string> {
  return new Map(
    children.flatMap(({ name, text }) => {
      const [, algorithm] = checksumElement.exec(name) ?? [];
      const value = text.trim();
      return algorithm === undefined || value === '' ? [] : [[algorithm.toLowerCase(), value]];
    }),
  );
}

/** @throws S3Error `InvalidPart` when one was not uploaded like that, `EntityTooSmall` when one but the last is small. */
export function checkParts(listed: readonly UploadedPart[], stored: ReadonlyMap<number, ListedPart>): void {
  for (const { partNumber, etag } of listed) if (stored.get(partNumber)?.etag !== etag) throw new S3Error('InvalidPart');
  const small = listed.slice(0, -1).some(({ partNumber }) => (stored.get(partNumber)?.size ?? 0) < minPartSize);
  if (small) throw new S3Error('EntityTooSmall');
}

/** Digest of what an upload is completed with: two requests with the same one ask for the same object on the same branch. */
export function listDigest(ref: string, parts: readonly UploadedPart[]): string {
  const hash = createHash('sha256').update(ref);
  for (const { partNumber, etag } of parts) hash.update(`/${partNumber} ${etag}`);
  return hash.digest('hex');
}

/** Etag of the joined object: MD5 of the parts' binary MD5s, a dash, and how many they are. */
export function joinedEtag(parts: readonly UploadedPart[]): string {
  const hash = createHash('md5');
  for (const { etag } of parts) hash.update(Buffer.from(etag, 'hex'));
  return `${hash.digest('hex')}-${parts.length}`;
}
