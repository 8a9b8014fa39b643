/** A Parquet file that grows by row groups in a temporary folder, and is then stored. Memory holds one row group. */
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BlockStore, ObjectPointer } from '@srv/lib-block-store';
import type { ParquetFacts, ParquetRequest } from './parquet-worker.js';

export type Columns = ParquetFacts['columns'];

export class ParquetFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #worker: Worker;
  #failure: Error | undefined;
  #answered: (() => void) | undefined;

  private constructor(folder: string, columns: Columns) {
    this.#folder = folder;
    this.#path = join(folder, 'file.parquet');
    const facts: ParquetFacts = { path: this.#path, columns };
    this.#worker = new Worker(new URL('./parquet-worker.js', import.meta.url), { workerData: facts });
    this.#worker.on('message', () => this.#answered?.());
    this.#worker.on('error', error => {
      this.#failure = error instanceof Error ? error : new Error(String(error));
      this.#answered?.();
    });
  }

  static async create(columns: Columns): Promise<ParquetFile> {
    return new ParquetFile(await mkdtemp(join(tmpdir(), 'srv-gc-')), columns);
  }

  /** Writes one row group. */
  async write(columns: readonly (readonly (string | number)[])[]): Promise<void> {
    await this.#ask({ columns });
  }

  /** Bytes written so far. */
  async size(): Promise<number> {
    return stat(this.#path).then(
      stats => stats.size,
      () => 0,
    );
  }

  /** Ends the file and puts it into the store. */
  async store(block: BlockStore, pointer: ObjectPointer): Promise<void> {
    await this.#ask('finish');
    const { size } = await stat(this.#path);
    const body = createReadStream(this.#path);
    try {
      await block.put(pointer, body, { size });
    } finally {
      body.destroy();
    }
  }

  /** Removes what is temporary; call it at last, also after an error. */
  async close(): Promise<void> {
    await this.#worker.terminate();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #ask(request: ParquetRequest): Promise<void> {
    await new Promise<void>(resolve => {
      this.#answered = resolve;
      if (this.#failure) resolve();
      else this.#worker.postMessage(request);
    });
    if (this.#failure) throw this.#failure;
  }
}
