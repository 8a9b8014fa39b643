/** Where downloads go: never outside the folder. */
import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { makeFolder } from '@srv/kernel';

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
    if (folder === this.#root || !folder.startsWith(this.#root)) return void (await makeFolder(folder));
    await this.#folder(dirname(folder));
    await mkdir(folder).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is not a folder; remove or rename it`);
    });
  }
}
