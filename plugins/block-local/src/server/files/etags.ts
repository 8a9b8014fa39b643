/** MD5 etags of files, remembered as long as a file keeps its inode, size and time. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { FileState } from '../small-files/small-write-messages.js';

/**
 * Forgetting half at once is cheaper than forgetting one at a time.
 * @bound etags of files, and as many before them
 */
const maxRecent = 25_000;

export class Etags {
  #recent = new Map<string, string>();
  #earlier: ReadonlyMap<string, string> = new Map();

  remember(stats: FileState, md5: string): void {
    this.#add(identity(stats), md5);
  }

  /** Etag of a file; reads it when it is not known. */
  async of(path: string, stats: FileState): Promise<string> {
    const known = this.known(stats);
    if (known !== undefined) return known;
    const file = await open(path, 'r');
    const hash = createHash('md5');
    // Closes the file at its end.
    for await (const chunk of file.createReadStream({ highWaterMark: 256 << 10 })) hash.update(chunk as Buffer);
    const md5 = hash.digest('hex');
    this.remember(stats, md5);
    return md5;
  }

  /** `undefined`: the file in its current state has not been read, or not recently. */
  known(stats: FileState): string | undefined {
    const id = identity(stats);
    return this.#recent.get(id) ?? this.#earlier.get(id);
  }

  #add(id: string, md5: string): void {
    if (this.#recent.size >= maxRecent) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(id, md5);
  }
}

function identity({ dev, ino, size, mtimeNs }: FileState): string {
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}
