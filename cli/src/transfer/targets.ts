/** Where downloads go: never outside the folder, never over a file that is not complete yet. */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';

/**
 * The file of an object below a folder.
 * @param relative path of the object below the downloaded prefix.
 * @throws Error for paths that name no file of their own below the folder, such as `../x`, `a//b` or `/etc/passwd`.
 */
export function targetPath(folder: string, relative: string): string {
  const parts = relative.split('/');
  if (parts.some(part => part === '' || part === '.' || part === '..' || part.includes('\0') || (sep !== '/' && part.includes(sep)))) {
    throw new Error(`${JSON.stringify(relative)} cannot be a file below ${folder}; download it alone with another destination`);
  }
  return join(folder, ...parts);
}

/** Creates parent folders, refusing to follow symbolic links out of the downloaded folder. */
export class FolderMaker {
  readonly #root: string;
  readonly #known = new Map<string, Promise<void>>();

  constructor(root: string) {
    this.#root = root;
  }

  /** @throws Error when a folder on the way to `path` is a symbolic link or a file. */
  async prepare(path: string): Promise<void> {
    await this.#folder(dirname(path));
  }

  #folder(folder: string): Promise<void> {
    const found = this.#known.get(folder) ?? this.#make(folder);
    this.#known.set(folder, found);
    return found;
  }

  async #make(folder: string): Promise<void> {
    if (folder === this.#root || !folder.startsWith(this.#root)) return void (await mkdir(folder, { recursive: true }));
    await this.#folder(dirname(folder));
    await mkdir(folder).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is in the way: it is no folder; nothing is written through it`);
    });
  }
}

/** Makes the names of this process's temporary files differ from those of any other. */
const mark = randomBytes(6).toString('hex');
let made = 0;

/**
 * Lets `write` fill a temporary file, then puts it in its place; what was at `path` stays until then.
 * @param temporary on the same file system; default: a new name beside `path`.
 */
export async function replaceFile(
  path: string,
  write: (temporary: string) => Promise<void>,
  temporary = join(dirname(path), `.${basename(path).slice(0, 100)}.${mark}${made++}.part`),
): Promise<void> {
  try {
    await write(temporary);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
