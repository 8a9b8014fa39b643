/** Files as the Hub describes them. */
import { createHash } from 'node:crypto';
import type { Entry } from '@srv/engine/contract';

/** Metadata of objects that came by this door: the hash of their blob in Git, or the SHA-256 of their content. */
export const blobKey = 'hf-blob';
export const sha256Key = 'hf-sha256';

const isHex = (text: string | undefined, length: number): text is string => text?.length === length && /^[0-9a-f]+$/.test(text);

/** The SHA-256, where it is known. */
export function sha256Of({ metadata }: Pick<Entry, 'metadata'>): string | undefined {
  const hash = metadata[sha256Key];
  return isHex(hash, 64) ? hash : undefined;
}

/** 40 hexadecimal digits that change with the content. */
export function blobOf({ metadata, etag }: Entry): string {
  const hash = metadata[blobKey];
  return isHex(hash, 40) ? hash : createHash('sha1').update(etag).digest('hex');
}

/** The tag by which clients name the file in their caches: no slash may be in it. */
export function etagOf(entry: Entry): string {
  return sha256Of(entry) ?? (isHex(entry.metadata[blobKey], 40) ? blobOf(entry) : entry.etag.replaceAll(/[^\w.-]/g, '_'));
}

export function lfsOf(entry: Entry): object {
  const oid = sha256Of(entry);
  return oid === undefined ? {} : { lfs: { oid, sha256: oid, size: entry.size, pointerSize: 134 } };
}

export function describeFile(entry: Entry): object {
  return { type: 'file', path: entry.path, oid: blobOf(entry), size: entry.size, ...lfsOf(entry) };
}

export function describeFolder(path: string): object {
  return { type: 'directory', path, oid: createHash('sha1').update(path).digest('hex'), size: 0 };
}

/** Whether a client can hold an object as a file. */
export function isFile(path: string): boolean {
  return !path.endsWith('/') && !path.startsWith('/') && !path.includes('//');
}
