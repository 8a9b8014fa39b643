/** What the threads do: read ranges, sort ids, merge lists. Blocks while it works. */
import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { SrvError, isOutOfFiles, isSrvError, isStorageFull, messageOf } from '@srv/kernel/errors';
import { idBytes } from '../mark/object-id.js';
import { headBytes, listsIn, writeRangeFile } from './range-file.js';
import { IdReader, IdWriter, chunkIds, mergeIds, sortIds } from './sorted-ids.js';
import type { ErrorCode } from '@srv/kernel/errors';
import type { RangeIds } from './range-file.js';

/** A list to be merged: a range file's own or foreign ids, or a plain sorted file. */
export interface MergeSource {
  readonly path: string;
  readonly list: 'own' | 'foreign' | 'both' | 'plain';
}

export type WorkerRequest =
  | {
      readonly kind: 'range';
      readonly bytes: ArrayBuffer;
      readonly name: string;
      readonly count: number;
      readonly path: string;
      readonly lists: RangeIds;
    }
  | { readonly kind: 'merge'; readonly sources: readonly MergeSource[]; readonly path: string; readonly lasts: boolean }
  | { readonly kind: 'sort'; readonly ids: ArrayBuffer; readonly path: string; readonly lasts: boolean };

export interface WorkerAnswer {
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

export function answer(request: WorkerRequest): WorkerAnswer {
  try {
    if (request.kind === 'range') writeRangeFile(Buffer.from(request.bytes), request.name, request.count, request.path, request.lists);
    else if (request.kind === 'merge') merge(request.sources, request.path, request.lasts);
    else writeSorted(Buffer.from(request.ids), request.path, request.lasts);
    return {};
  } catch (error) {
    return { error: { code: codeOf(error), message: messageOf(error) } };
  }
}

function codeOf(error: unknown): ErrorCode {
  if (isStorageFull(error)) return 'storage_full';
  if (isOutOfFiles(error)) return 'unavailable';
  return isSrvError(error) ? error.code : 'internal';
}

function writeSorted(ids: Buffer, path: string, lasts: boolean): void {
  const sorted = sortIds(ids);
  const writer = new IdWriter(path);
  for (let at = 0; at < sorted.length; at += idBytes) writer.add(sorted.subarray(at, at + idBytes));
  writer.close({ sync: lasts });
}

/** Many short lists are sorted together in memory, chunk by chunk; the chunks are merged. */
function merge(sources: readonly MergeSource[], path: string, lasts: boolean): void {
  const parts = sources.flatMap(partsOf);
  const total = parts.reduce((sum, { start, end }) => sum + end - start, 0);
  const chunk = Buffer.allocUnsafeSlow(Math.min(chunkIds * idBytes, Math.max(total, idBytes)));
  const chunks: string[] = [];
  let filled = 0;
  const spill = (): void => {
    const name = `${path}.${chunks.length}`;
    writeSorted(chunk.subarray(0, filled), name, false);
    chunks.push(name);
    filled = 0;
  };
  for (const { path: file, start, end } of parts) {
    const descriptor = openSync(file, 'r');
    for (let at = start; at < end; ) {
      if (filled === chunk.length) spill();
      const read = readSync(descriptor, chunk, filled, Math.min(chunk.length - filled, end - at), at);
      if (read === 0) throw new SrvError('corrupt', `${file} ends at ${at}, not at ${end}; remove it`);
      at += read;
      filled += read;
    }
    closeSync(descriptor);
  }
  if (filled > 0 || chunks.length === 0) spill();
  const readers = chunks.map(name => new IdReader(name));
  const writer = new IdWriter(path);
  mergeIds(readers, writer);
  writer.close({ sync: lasts });
  for (const reader of readers) reader.close();
  for (const name of chunks) rmSync(name);
}

function partsOf({ path, list }: MergeSource): { readonly path: string; readonly start: number; readonly end: number }[] {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    if (list === 'plain') return [{ path, start: 0, end: size }];
    const head = Buffer.alloc(headBytes);
    readSync(descriptor, head, 0, headBytes, 0);
    const lists = listsIn(head, size);
    if (!lists) throw new SrvError('corrupt', `${path} is not a list of object ids; remove it`);
    if (list === 'own') return [{ path, ...lists.own }];
    if (list === 'foreign') return [{ path, ...lists.foreign }];
    return [
      { path, ...lists.own },
      { path, ...lists.foreign },
    ];
  } finally {
    closeSync(descriptor);
  }
}
