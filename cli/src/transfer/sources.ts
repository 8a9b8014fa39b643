/** Where uploads come from. */
import { createReadStream } from 'node:fs';
import { lstat, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export interface Source {
  /** For messages. */
  readonly name: string;
  /** Bytes, when known. */
  readonly size?: number;
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
  if (!facts.isFile()) return { name: path, repeatable: false, open: () => createReadStream(path) };
  return regularFile(path, path, facts.size);
}

export function streamSource(stream: Readable): Source {
  return { name: 'standard input', repeatable: false, open: () => stream };
}

/** A source whose size is known: one that is not is first copied to a temporary file. */
export async function withSize<T>(source: Source, use: (sized: Source & { readonly size: number }) => Promise<T>): Promise<T> {
  const { size } = source;
  if (size !== undefined) return use({ ...source, size });
  const folder = await mkdtemp(join(tmpdir(), 'cli-upload-'));
  try {
    const path = join(folder, 'content');
    await pipeline(source.open(), createWriteStream(path, { mode: 0o600 }));
    const { size: copied } = await stat(path);
    return await use(regularFile(source.name, path, copied));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function regularFile(name: string, path: string, size: number): Source & { readonly size: number } {
  return {
    name,
    size,
    repeatable: true,
    open: () => createReadStream(path),
    openRange: (start, end) => createReadStream(path, { start, end }),
  };
}

export interface LocalFile {
  /** Below the folder, with `/` between the parts. */
  readonly relative: string;
  readonly path: string;
  readonly size: number;
}

/**
 * Every file below a folder.
 * @param skipOthers leave out symbolic links and other special files instead of failing.
 */
export async function* walkFiles(folder: string, skipOthers: boolean, relative = ''): AsyncGenerator<LocalFile> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walkFiles(path, skipOthers, `${relative}${entry.name}/`);
    else if (entry.isFile()) yield { relative: relative + entry.name, path, size: (await lstat(path)).size };
    else if (!skipOthers) throw new Error(`${path} is no regular file; set local.skip_non_regular_files to leave such files out`);
  }
}
