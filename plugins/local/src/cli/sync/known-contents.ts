/**
 * MD5s of files that were read before, in a file of the linked directory: what has the stamp it had then has not changed and
 * need not be read again. Without that file, everything is read as often as its time leaves its content open.
 */

import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentsName, indexName, settledAt, temporaryFor } from '@srv/engine/transfer';
import { replaceFile } from '@srv/lib-commands';
import type { LocalEntry } from '@srv/engine/transfer';

interface KnownFile {
  readonly stamp: string;
  readonly md5: string;
}

/** Bytes of the file, and files in it; what is beyond is read again. */
const maxBytes = 64 << 20;
const maxFiles = 250_000;
const hash = /^[0-9a-f]{32}$/;

export class KnownContents {
  readonly #file: string;
  readonly #known: Map<string, KnownFile>;
  /** Looked up or learned here: all that a complete comparison needs. */
  readonly #used = new Map<string, KnownFile>();
  #hasLearned = false;

  private constructor(file: string, known: Map<string, KnownFile>) {
    this.#file = file;
    this.#known = known;
  }

  /** A file that is damaged or too large counts as empty. */
  static async open(folder: string): Promise<KnownContents> {
    const file = join(folder, contentsName);
    return new KnownContents(file, await read(file));
  }

  /** MD5 of a file that has not changed since it was learned. */
  md5({ path, stamp }: LocalEntry): string | undefined {
    const found = this.#known.get(path);
    if (found?.stamp !== stamp) return undefined;
    this.#used.set(path, found);
    return found.md5;
  }

  /**
   * @param since Unix milliseconds, before the content was looked at. A file that was changed so shortly before it may change
   * again without its stamp showing it.
   */
  learn({ path, stamp, kind }: LocalEntry, md5: string, since: number): void {
    if (kind !== 'file' || settledAt(stamp) > since || this.#used.size >= maxFiles) return;
    const found = { stamp, md5 };
    this.#known.set(path, found);
    this.#used.set(path, found);
    this.#hasLearned = true;
  }

  /** Stores what was learned. Other clients of a directory would take the file for content: it is left out where they are used. */
  async save(): Promise<void> {
    if (!this.#hasLearned || !existsSync(join(this.#file, '..', indexName))) return;
    this.#hasLearned = false;
    const lines = [...this.#used].map(([path, { stamp, md5 }]) => `${JSON.stringify([path, stamp, md5])}\n`);
    // It only saves time: a directory that cannot be written works without it.
    await replaceFile(this.#file, temporary => writeFile(temporary, lines.join(''), { mode: 0o600 }), temporaryFor(this.#file)).catch(
      () => undefined,
    );
  }
}

async function read(file: string): Promise<Map<string, KnownFile>> {
  const known = new Map<string, KnownFile>();
  try {
    if ((await stat(file)).size > maxBytes) return known;
    for (const line of (await readFile(file, 'utf8')).split('\n')) {
      if (line === '') continue;
      const [path, stamp, md5] = JSON.parse(line) as unknown[];
      if (typeof path === 'string' && typeof stamp === 'string' && typeof md5 === 'string' && hash.test(md5))
        known.set(path, { stamp, md5 });
    }
  } catch {
    return new Map();
  }
  return known;
}
