/**
 * File names for object names. An object name is `<namespace>/<key>`, relative to the base folder.
 *
 * A plain name is its own path: `repo/data/x/y` lies at `<base>/repo/data/x/y`. What a file system cannot hold as it is,
 * lies below `<base>/.srv-keys` under the lower-case hex digits of its UTF-8 bytes: folders of 200 digits each, then the
 * remaining digits after `=`. Both directions are exact, no two names share a path, and hex keeps byte order.
 *
 * A name is not plain when a segment is empty, `.`, `..`, longer than 255 bytes, holds a NUL, or begins with `.srv-`.
 * The same place serves plain names that another object's path forbids: with a file `a` there can be no `a/b`.
 */
import { join } from 'node:path';

/** Segments with this beginning belong to the driver. */
const reserved = '.srv-';
export const escapedFolder = `${reserved}keys`;
export const temporaryFolder = `${reserved}tmp`;
export const uploadFolder = `${reserved}uploads`;
export const journalFolder = `${reserved}journal`;

const digitsPerFolder = 200;
const maxSegmentBytes = 255;

export function isPlain(name: string): boolean {
  return name.split('/').every(isPlainSegment);
}

export function isPlainSegment(segment: string): boolean {
  return (
    segment !== '' &&
    segment !== '.' &&
    segment !== '..' &&
    !segment.startsWith(reserved) &&
    !segment.includes('\0') &&
    Buffer.byteLength(segment) <= maxSegmentBytes
  );
}

/** Path below the base folder of a name that cannot be its own path. */
export function escapedPath(name: string): string {
  const digits = Buffer.from(name).toString('hex');
  const folders: string[] = [];
  let at = 0;
  for (; digits.length - at > digitsPerFolder; at += digitsPerFolder) folders.push(digits.slice(at, at + digitsPerFolder));
  return join(escapedFolder, ...folders, `=${digits.slice(at)}`);
}

/** The name that the segments encode below {@link escapedFolder}; `undefined` when no name is written so. */
export function unescapedName(segments: readonly string[]): string | undefined {
  const last = segments.at(-1);
  if (last === undefined || !last.startsWith('=')) return undefined;
  const name = Buffer.from(segments.slice(0, -1).join('') + last.slice(1), 'hex').toString();
  return escapedPath(name) === join(escapedFolder, ...segments) ? name : undefined;
}
