/** A file of lines that is being written. It is not a stream: the call that meets a full disk throws its error. */
import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';

export class LineFile {
  readonly #path: string;
  #file: FileHandle | undefined;
  #lines = '';

  /** @param path of a file that is created, or emptied. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Keeps lines in memory until {@link flush}. */
  add(lines: string): void {
    this.#lines += lines;
  }

  /** Writes what was added. @throws the error of the file system. */
  async flush(): Promise<void> {
    const lines = this.#lines;
    this.#lines = '';
    this.#file ??= await open(this.#path, 'w');
    if (lines !== '') await this.#file.appendFile(lines);
  }

  /** Writes what was added and closes the file, also when that fails. */
  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.#file?.close();
    }
  }
}
