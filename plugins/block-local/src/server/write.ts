/** Writes objects: small ones together with others, large ones as files of their own. */
import { createHash } from 'node:crypto';
import { throwIfAborted } from '@srv/kernel';
import { wrongSize } from '@srv/lib-stores/block';
import { writing } from './files/file-errors.js';
import { copyTemporary, lastModifiedOf, writeTemporary } from './files/written-file.js';
import { smallWriteBytes } from './small-files/small-writes.js';
import type { Readable } from 'node:stream';
import type { PutOptions } from '@srv/lib-stores/block';
import type { ObjectFiles, OwnObject } from './files/object-files.js';
import type { Drafting } from './files/temporary.js';
import type { FileState } from './small-files/small-write-messages.js';

interface Files {
  readonly objects: ObjectFiles;
  /** Folder for files that have no name yet. */
  readonly temporary: Drafting;
}

export function writeObject(files: Files, place: OwnObject, body: Readable | Buffer, options: PutOptions): Promise<{ lastModified: Date }> {
  return writing(place.address, async () => {
    const isSmall = Buffer.isBuffer(body) && body.length <= smallWriteBytes;
    const state = (isSmall && (await writeSmall(files, place, body, options))) || (await writeLarge(files, place, body, options));
    return { lastModified: lastModifiedOf(state) };
  });
}

/** {@link writeObject} with the content of a file, which stays. */
export function writeFile(
  { objects, temporary }: Files,
  place: OwnObject,
  path: string,
  size: number | undefined,
): Promise<{ lastModified: Date }> {
  return writing(place.address, async () => {
    const file = await copyTemporary(temporary, path, size);
    await objects.place(file, place);
    return { lastModified: lastModifiedOf(file.state) };
  });
}

/** @returns `undefined` when it has to be stored as a large one. */
async function writeSmall(
  { objects }: Files,
  place: OwnObject,
  body: Buffer,
  { size, signal, md5 }: PutOptions,
): Promise<FileState | undefined> {
  throwIfAborted(signal);
  if (size !== undefined && body.length !== size) throw wrongSize(size, String(body.length));
  return objects.writeSmall(place, body, () => md5?.() ?? createHash('md5').update(body).digest('hex'));
}

async function writeLarge(
  { objects, temporary }: Files,
  place: OwnObject,
  body: Readable | Buffer,
  options: PutOptions,
): Promise<FileState> {
  const file = await writeTemporary(temporary, body, options);
  await objects.place(file, place);
  return file.state;
}
