/**
 * Listings of folders that later runs use again, where the store can say whether a folder has changed. An object that is
 * missing here is only collected later; one that is gone does no harm: what is garbage is looked at again anyway.
 */
import { randomUUID } from 'node:crypto';
import { copyFile, open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../private-folder.js';

/** Objects that were listed together: those of one folder, or all of them. */
export interface ListedPart {
  /** Key of the folder, with its slash; empty for several folders. */
  readonly folder: string;
  /** File of lines. */
  readonly path: string;
  readonly count: number;
  /** State of the folder, as the store reported it. */
  readonly state?: string | undefined;
  /** All of it is old and in the list of committed objects of this generation. */
  readonly generation?: string | undefined;
}

type Stored = Omit<ListedPart, 'path'> & {
  readonly file: string;
  /** Bytes of the file: one of another size is not whole. */
  readonly size: number;
};

const factsName = 'listing.json';

export class ListingMemory {
  readonly #folder: string;
  readonly #parts: ReadonlyMap<string, ListedPart>;

  private constructor(folder: string, parts: ReadonlyMap<string, ListedPart>) {
    this.#folder = folder;
    this.#parts = parts;
  }

  /** What is remembered, nothing if it cannot be read. */
  static async open(folder: string): Promise<ListingMemory> {
    const text = await readFile(join(folder, factsName), 'utf8').catch(() => '[]');
    const parts = new Map<string, ListedPart>();
    try {
      for (const { file, size, ...part } of JSON.parse(text) as Stored[]) {
        const path = join(folder, file);
        if ((await stat(path)).size === size) parts.set(part.folder, { ...part, path });
      }
    } catch {
      parts.clear();
    }
    return new ListingMemory(folder, parts);
  }

  /** The listing of a folder that has not changed since. */
  find(folder: string, state: string): ListedPart | undefined {
    const part = this.#parts.get(folder);
    return part?.state === state ? part : undefined;
  }

  /** Remembers these parts, and no others. */
  async save(parts: readonly ListedPart[]): Promise<void> {
    await makePrivateFolder(this.#folder);
    const stored: Stored[] = [];
    for (const { path, ...part } of parts) {
      if (part.state === undefined || part.folder === '') continue;
      const known = this.#parts.get(part.folder);
      let file = known?.path === path ? path.slice(this.#folder.length + 1) : undefined;
      if (file === undefined) {
        file = `${randomUUID()}.list`;
        await keep(path, join(this.#folder, file));
      }
      stored.push({ ...part, file, size: (await stat(join(this.#folder, file))).size });
    }
    const facts = join(this.#folder, factsName);
    await writeFile(`${facts}.new`, JSON.stringify(stored), { flush: true });
    await rename(`${facts}.new`, facts);
    const named = new Set([...stored.map(({ file }) => file), factsName]);
    for (const name of await readdir(this.#folder)) if (!named.has(name)) await rm(join(this.#folder, name), { force: true });
  }
}

/** A copy that outlives a power cut. */
async function keep(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const file = await open(to, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
