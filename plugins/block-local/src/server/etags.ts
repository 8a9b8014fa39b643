/** MD5 etags of files, remembered as long as a file keeps its inode, size and time. */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { FileState } from './small-write-messages.js';

const maxRemembered = 50_000;

export class Etags {
  readonly #known = new Map<string, string>();

  remember(stats: FileState, md5: string): void {
    const oldest = this.#known.size < maxRemembered ? undefined : this.#known.keys().next().value;
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(identity(stats), md5);
  }

  /** Etag of a file; reads it when it is not known. */
  async of(path: string, stats: FileState): Promise<string> {
    const known = this.#known.get(identity(stats));
    if (known !== undefined) return known;
    const file = await open(path, 'r');
    const hash = createHash('md5');
    // Closes the file at its end.
    for await (const chunk of file.createReadStream({ highWaterMark: 256 << 10 })) hash.update(chunk as Buffer);
    const md5 = hash.digest('hex');
    this.remember(stats, md5);
    return md5;
  }
}

function identity({ dev, ino, size, mtimeNs }: FileState): string {
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}
