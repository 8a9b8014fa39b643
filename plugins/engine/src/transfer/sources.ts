/** Where uploads come from. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileRange } from './file-range.js';
import { readSmall, smallFile } from './small-files.js';

export interface LargeFile {
  /** Absolute. */
  readonly path: string;
  /** Unix nanoseconds in decimal. */
  readonly mtime: string;
}

export interface Source {
  /** For messages. */
  readonly name: string;
  /** Bytes, when known. */
  readonly size?: number;
  /** Which file it is, when it is a large one that stays where it is. */
  readonly file?: LargeFile;
  /** All of it, when it is small. */
  readonly bytes?: Buffer;
  /** Whether `open` can be called again. */
  readonly repeatable: boolean;
  open(): Readable;
  /** The bytes from `start` to `end`, inclusive; only of files. */
  openRange?(start: number, end: number): Readable;
}

/** @throws Error when the file does not exist or is a directory. */
export async function fileSource(path: string): Promise<Source> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`open ${path}: ${error.code === 'ENOENT' ? 'no such file or directory' : error.message}`, { cause: error });
  });
  if (facts.isDirectory()) throw new Error(`read ${path}: is a directory; use --recursive to upload what is in it`);
  if (!facts.isFile()) return { name: path, repeatable: false, open: () => fileStream(path) };
  return regularSource(path, facts.size);
}

/**
 * @param path of a file that is known to be a regular one.
 * @param size bytes it had when it was looked at.
 */
export async function regularSource(path: string, size?: number): Promise<Source & { readonly size: number }> {
  const bytes = size !== undefined && size > smallFile ? undefined : await readSmall(path, size);
  if (bytes !== undefined) return heldSource(path, bytes);
  const facts = await stat(path, { bigint: true });
  return { ...largeFile(path, path, Number(facts.size)), file: { path: resolve(path), mtime: String(facts.mtimeNs) } };
}

/** What is in memory already. */
export function heldSource(name: string, bytes: Buffer): Source & { readonly size: number } {
  return { name, bytes, size: bytes.length, repeatable: true, open: () => Readable.from([bytes], { objectMode: false }) };
}

export function streamSource(stream: Readable): Source {
  return { name: 'standard input', repeatable: false, open: () => stream };
}

/**
 * A source whose size is known: one that is not is first copied to a temporary file, which is removed at the end.
 * @param signal ends the copying.
 */
export async function withSize<T>(
  source: Source,
  signal: AbortSignal,
  use: (sized: Source & { readonly size: number }) => Promise<T>,
): Promise<T> {
  const { size } = source;
  if (size !== undefined) return use({ ...source, size });
  const folder = await mkdtemp(join(tmpdir(), 'cli-upload-'));
  try {
    const path = join(folder, 'content');
    await pipeline(source.open(), createWriteStream(path, { mode: 0o600 }), { signal });
    const { size: copied } = await stat(path);
    return await use(largeFile(source.name, path, copied));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function largeFile(name: string, path: string, size: number): Source & { readonly size: number } {
  const file = { name, path, size };
  return {
    name,
    size,
    repeatable: true,
    open: () => (size === 0 ? Readable.from([]) : fileRange(file, 0, size - 1)),
    openRange: (start, end) => fileRange(file, start, end),
  };
}

/** Of unknown length. Its reader sees an error; until there is one, an error must not end the program. */
function fileStream(path: string): Readable {
  return createReadStream(path).on('error', () => {});
}
